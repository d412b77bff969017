"""Whitewater from frame to frame (Ihmsen et al. 2012): motes are carried, some die, some are born."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from plash.scene.model import Scene
from plash.timing import stage
from plash.whitewater.births import Ranges, born, within
from plash.whitewater.carry import Moving, carry
from plash.whitewater.chance import Draw
from plash.whitewater.flow import Flow
from plash.whitewater.motes import Motes
from plash.whitewater.room import Room

_MOST_STEPS = 4  # of motes in a frame; each takes them about a cell far, and the fastest further


@stage
def advanced(motes: Motes, flows: tuple[Flow | None, Flow | None], scene: Scene, frame: int) -> Motes:
    """The motes of a frame, from those of the frame before.

    Args:
        motes: Of the frame before.
        flows: The liquid in the frame before and in this one.
        scene: Whose frames they are.
        frame: Number of this one.
    """
    dt = 1 / scene.time.fps
    carried = _carried(motes, flows, scene, frame)
    after = flows[1]
    if after is None:
        return carried
    made = born(after, scene.whitewater, scene.domain, Draw(scene.solver.seed, frame), dt)
    made = _where_they_are(made, flows, scene, frame)
    made = within(made, len(carried), scene.whitewater.most, Draw(scene.solver.seed, frame))
    tally = replace(
        carried.tally,
        born=carried.tally.born + len(made),
        refused=carried.tally.refused + made.tally.refused,
    )
    return replace(carried.joined(made), tally=tally)


def _carried(motes: Motes, flows: tuple[Flow | None, Flow | None], scene: Scene, frame: int) -> Motes:
    """Motes after the time between two frames, without those that died."""
    domain, dt = scene.domain, 1 / scene.time.fps
    h, fall = domain.h, Ranges.of(scene.whitewater, domain).fall
    count = _step_count(motes, flows, dt, h)
    moves = any(solid.moves for solid in scene.solid)
    room = Room(domain, scene.solids_at((frame - 1) * dt))
    for step in range(count):
        if len(motes) == 0:
            return motes
        moving = Moving(motes.position / h, motes.velocity.copy(), motes.kind.copy(), motes.age.copy())
        carry(moving, flows, (step + 0.5) / count, dt / count, h, domain.gravity, fall)
        position = moving.place * h
        if moves:
            room = Room(domain, scene.solids_at((frame - 2 + (step + 1) / count) * dt))
        landed, left = room.put_inside(position, moving.velocity, moving.kind)
        motes = replace(motes, position=position, velocity=moving.velocity, kind=moving.kind, age=moving.age)
        burst = (motes.age > motes.lifetime) & ~landed & ~left
        tally = replace(
            motes.tally,
            burst=motes.tally.burst + int(np.count_nonzero(burst)),
            landed=motes.tally.landed + int(np.count_nonzero(landed)),
            left=motes.tally.left + int(np.count_nonzero(left)),
        )
        motes = replace(motes.only(~(burst | landed | left)), tally=tally)
    return motes


def _where_they_are(made: Motes, flows: tuple[Flow | None, Flow | None], scene: Scene, frame: int) -> Motes:
    """New motes as what their places make them, without those that have no room."""
    h, fall = scene.domain.h, Ranges.of(scene.whitewater, scene.domain).fall
    moving = Moving(made.position / h, made.velocity.copy(), made.kind.copy(), made.age.copy())
    carry(moving, flows, 1.0, 0.0, h, scene.domain.gravity, fall)
    position = made.position.copy()
    landed, left = Room(scene.domain, scene.solids_at((frame - 1) / scene.time.fps)).put_inside(
        position, moving.velocity, moving.kind
    )
    placed = replace(made, position=position, velocity=moving.velocity, kind=moving.kind)
    return placed.only(~(landed | left))


def _step_count(motes: Motes, flows: tuple[Flow | None, Flow | None], dt: float, h: float) -> int:
    """Steps in which no mote, and no liquid, goes much further than a cell."""
    speeds = [motes.velocity, *(flow.particles.velocity.T for flow in flows if flow is not None)]
    fastest = max(float(np.abs(each).max(initial=0.0)) for each in speeds)
    return min(max(1, math.ceil(fastest * dt / h)), _MOST_STEPS)
