// The pages of a study team: shows times in the zone of the browser. Without script they are in UTC.

function showTimes(part) {
  for (const element of part.querySelectorAll("time[datetime]")) {
    element.title = element.textContent;
    element.textContent = new Date(element.dateTime).toLocaleString(document.documentElement.lang, {
      dateStyle: "medium", timeStyle: element.dataset.style ?? "short", hourCycle: "h23",
    });
  }
}
showTimes(document);
document.addEventListener("refreshed", (event) => showTimes(event.detail));

// The map of adherence has thousands of cells. Each shows its text when the pointer reaches it, so the page has the text once.
document.addEventListener("pointerover", (event) => {
  const cell = event.target.closest(".heat td a");
  if (cell) cell.title = cell.getAttribute("aria-label");
});
