// What a questionnaire needs after its first answer: the faults of answers, the review, and sending.

import { deliver } from "./delivery.js";
import { showFaults } from "./faults.js";
import { fillReview } from "./review.js";

export const finish = { deliver, fillReview, showFaults };
