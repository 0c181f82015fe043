// The clock of a rehearsal: shows the number of the day that the slider has.

const { day } = document.getElementById("clock").elements;
const number = document.getElementById("day-shown");
const showDay = () => { number.textContent = day.value; };
// A browser can keep the position of the slider when it loads the page again.
showDay();
day.addEventListener("input", showDay);
