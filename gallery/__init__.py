"""Pictures and clips of every scene that comes with plash, and the page that shows them: `make gallery`."""
