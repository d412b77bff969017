// Keys: each does what its entry says, unless something is being written.

export function listenToKeys(actions) {
  document.addEventListener("keydown", (event) => {
    const action = actions[keyOf(event)];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

// The name of a key that counts here, with what is held; none while a dialog, a menu or a field has it
function keyOf(event) {
  const { target } = event;
  if (document.querySelector("dialog[open]") || target.matches("select, input:not([type=range]):not([type=checkbox])"))
    return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) return `Control ${event.shiftKey ? "Shift " : ""}${key}`;
  const isTargets = target.matches(
    key === " " ? "button, input[type=checkbox]" : key.startsWith("Arrow") ? "input" : ":not(*)",
  );
  return event.altKey || isTargets ? null : key;
}
