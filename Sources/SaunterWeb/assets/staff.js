// The pages of a study team: shows times in the zone of the browser. Without script they are in UTC.

for (const element of document.querySelectorAll("time[datetime]")) {
  element.title = element.textContent;
  element.textContent = new Date(element.dateTime).toLocaleString(document.documentElement.lang, {
    dateStyle: "medium", timeStyle: element.dataset.style ?? "short", hourCycle: "h23",
  });
}
