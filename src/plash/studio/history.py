"""What was changed, to be taken back and made again: a scene is a value, so the past is a list of scenes."""

from __future__ import annotations

from plash.scene.model import Scene

LONGEST = 200


class History:
    """The scene as it is now, and as it was.

    >>> import plash
    >>> scene = plash.load_scene("dam_break_2d")
    >>> history = History(scene)
    >>> history.change(scene.model_copy(update={"title": "Other"}))
    >>> history.undo(), history.now.title, history.redo(), history.now.title
    (True, 'Dam break in 2-D', True, 'Other')
    """

    def __init__(self, scene: Scene) -> None:
        self.now = scene
        self._past: list[Scene] = []
        self._future: list[Scene] = []
        self._subject = ""

    @property
    def depths(self) -> tuple[int, int]:
        """How many changes can be taken back, and made again."""
        return len(self._past), len(self._future)

    def change(self, scene: Scene, subject: str = "") -> None:
        """Go on with another scene. Changes of one subject in a row, as of a slider that is dragged, are one."""
        if scene == self.now:
            return
        if not subject or subject != self._subject:
            self._past.append(self.now)
            del self._past[:-LONGEST]
        self._subject = subject
        self._future.clear()
        self.now = scene

    def pause(self) -> None:
        """End a row of changes that count as one."""
        self._subject = ""

    def refuse(self, scene: Scene) -> None:
        """Stay with a scene after all: the one now cannot be."""
        self.now, self._subject = scene, ""

    def undo(self) -> bool:
        """Go back by one change, if there is one."""
        return self._go(self._past, self._future)

    def redo(self) -> bool:
        """Go forward by one change, if there is one."""
        return self._go(self._future, self._past)

    def _go(self, source: list[Scene], target: list[Scene]) -> bool:
        self._subject = ""
        if not source:
            return False
        target.append(self.now)
        self.now = source.pop()
        return True
