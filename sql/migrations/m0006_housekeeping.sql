-- What is looked for again and again: claims whose worker died, and what has had its day.
create index reminder_claimed on research.reminder (claimed_at) where state = 'claimed';
create index token_family_expires on identity.token_family (expires_at);
create index refresh_token_used on identity.refresh_token (used_at) where used_at is not null;
