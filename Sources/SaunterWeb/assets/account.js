// The pages to register, log in and enter a code: shows passwords, and takes a code from the address.

for (const field of document.querySelectorAll("[data-password]")) {
  const input = field.querySelector("input");
  const button = Object.assign(document.createElement("button"), { type: "button", className: "plain", textContent: field.dataset.show });
  button.addEventListener("click", () => {
    const isHidden = input.type === "password";
    input.type = isHidden ? "text" : "password";
    button.textContent = isHidden ? field.dataset.hide : field.dataset.show;
    input.focus();
  });
  // The browser offers to keep a password only if the field is of the type "password" when the form is sent.
  input.form.addEventListener("submit", () => { input.type = "password"; });
  field.append(button);
}

// `/join#CODE`: the part after "#" never reaches a server, a log or another page.
const code = document.querySelector("[data-from-address]");
if (code && !code.value && location.hash.length > 1) {
  code.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
}

// An app on the home screen of an iPhone keeps its own data, so it is added before the login.
const isPhone = /iPhone|iPad/.test(navigator.userAgent) && !matchMedia("(display-mode: standalone)").matches;
for (const hint of document.querySelectorAll("[data-iphone]")) hint.hidden = !isPhone;
