// What a tab keeps while it is loaded again: the name of its simulation, and how its page looks.
// The theme is kept for good.

const PLACE = "plash-studio",
  THEME = "plash-theme";

export function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE)) ?? {};
  } catch {
    return {};
  }
}

export function keep(what) {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify({ ...kept(), ...what }));
  } catch {
    /* some windows keep nothing: then the page begins anew */
  }
}

export function keptTheme(theme) {
  try {
    localStorage.setItem(THEME, theme);
  } catch {
    /* private windows keep nothing */
  }
  return theme;
}

export function firstTheme() {
  const usual = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  try {
    return localStorage.getItem(THEME) ?? usual;
  } catch {
    return usual;
  }
}
