// The page that asks guests for the password. It loads the studio in its place, so that a link to a scene still leads there.

const form = document.querySelector("#enter"),
  field = document.querySelector("#password"),
  told = document.querySelector("#told");

document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  told.textContent = "One moment";
  try {
    const answer = await fetch("/api/enter", { method: "POST", body: JSON.stringify({ password: field.value }) });
    if (answer.ok) {
      location.reload();
      return;
    }
    told.textContent = (await answer.json()).error;
  } catch {
    told.textContent = "The studio does not answer.";
  }
  field.select();
});
