// One question at a time, drafts and conditions.
