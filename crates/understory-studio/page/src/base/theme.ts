// Dark or light: what the system says, until somebody chooses.

const STORE = "understory-theme";

function stored(): string | null {
  try {
    return localStorage.getItem(STORE);
  } catch {
    return null;
  }
}

export function currentTheme(): "dark" | "light" {
  const wanted = stored() ?? (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");
  const theme = wanted === "light" ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  return theme;
}

export function toggleTheme(): void {
  const next = currentTheme() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(STORE, next);
  } catch {
    // Without storage it holds until the page is left.
  }
  document.documentElement.dataset.theme = next;
}
