// A questionnaire that is closed: a draft on this device can still be finished.

import { getDraft } from "./outbox.js";

const offer = document.getElementById("draft");
if (offer && await getDraft(location.pathname)) offer.hidden = false;
