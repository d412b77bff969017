"""Points that carry things: seeding, sorting, moving, transfers to and from the grid."""
