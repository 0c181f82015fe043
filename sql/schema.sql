-- The schema after all migrations, generated from the database's catalogue by SchemaPageTests. Do not edit it:
-- SAUNTER_GOLDEN=write swift test --filter SchemaPageTests
-- What the tables and columns mean is written in sql/migrations.

create table audit.entry (
  entry_id bigint not null generated always as identity,
  recorded_at timestamp with time zone not null,
  actor_kind text not null,
  actor_ref text,
  action text not null,
  study text,
  enrolment_ref text,
  request_id text,
  detail jsonb not null default '{}'::jsonb,
  constraint entry_pkey PRIMARY KEY (entry_id)
);
CREATE INDEX entry_study ON audit.entry USING btree (study, entry_id);

create table identity.account (
  account_id uuid not null,
  email_lookup bytea,
  email_sealed bytea,
  name_sealed bytea not null,
  password_hash text,
  time_zone text,
  language text,
  created_at timestamp with time zone not null,
  email_verified_at timestamp with time zone,
  kind text not null default 'registered'::text,
  used_at timestamp with time zone,
  constraint account_pkey PRIMARY KEY (account_id),
  constraint account_email_taken UNIQUE (email_lookup),
  constraint account_credentials CHECK ((((kind = 'registered'::text) AND (num_nonnulls(email_lookup, email_sealed, password_hash) = 3)) OR ((kind <> 'registered'::text) AND (num_nonnulls(email_lookup, email_sealed, password_hash, email_verified_at) = 0)))),
  constraint account_kind CHECK ((kind = ANY (ARRAY['anonymous'::text, 'registered'::text]))),
  constraint account_used_at CHECK (((kind = 'anonymous'::text) = (used_at IS NOT NULL)))
);
CREATE INDEX account_used ON identity.account USING btree (used_at, account_id) WHERE (used_at IS NOT NULL);

create table identity.account_grant (
  account_id uuid not null,
  role text not null,
  study text not null,
  full_export boolean not null default false,
  granted_at timestamp with time zone not null,
  sees_arms boolean not null default false,
  constraint account_grant_pkey PRIMARY KEY (account_id, role, study),
  constraint account_grant_account_id_fkey FOREIGN KEY (account_id) REFERENCES identity.account(account_id) ON DELETE CASCADE,
  constraint account_grant_role CHECK ((role = ANY (ARRAY['researcher'::text, 'coordinator'::text, 'editor'::text, 'admin'::text])))
);

create table identity.api_token (
  token_id uuid not null,
  token_hash bytea not null,
  account_id uuid not null,
  study text not null,
  label text not null,
  profile text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint api_token_pkey PRIMARY KEY (token_id),
  constraint api_token_hash UNIQUE (token_hash),
  constraint api_token_account_id_fkey FOREIGN KEY (account_id) REFERENCES identity.account(account_id) ON DELETE CASCADE,
  constraint api_token_profile CHECK ((profile = ANY (ARRAY['coded'::text, 'full'::text])))
);
CREATE INDEX api_token_account ON identity.api_token USING btree (account_id, study);
CREATE INDEX api_token_expires ON identity.api_token USING btree (expires_at);

create table identity.email_verification (
  code_hash bytea not null,
  account_id uuid not null,
  email_sealed bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint email_verification_pkey PRIMARY KEY (code_hash),
  constraint email_verification_one_per_account UNIQUE (account_id),
  constraint email_verification_account_id_fkey FOREIGN KEY (account_id) REFERENCES identity.account(account_id) ON DELETE CASCADE
);

create table identity.ended_family (
  family_id uuid not null,
  ended_at timestamp with time zone not null,
  constraint ended_family_pkey PRIMARY KEY (family_id)
);

create table identity.entitlement (
  entitlement_id uuid not null,
  account_id uuid,
  study text not null,
  code text not null,
  source text not null,
  original_lookup bytea,
  valid_from timestamp with time zone not null,
  valid_until timestamp with time zone,
  revoked_at timestamp with time zone,
  purchased_at timestamp with time zone,
  signed_at timestamp with time zone,
  notice uuid,
  why text,
  changed_at timestamp with time zone not null,
  constraint entitlement_pkey PRIMARY KEY (entitlement_id),
  constraint entitlement_one_account_per_purchase UNIQUE (original_lookup),
  constraint entitlement_account_id_fkey FOREIGN KEY (account_id) REFERENCES identity.account(account_id) ON DELETE CASCADE,
  constraint entitlement_gift CHECK (((source <> 'gift'::text) OR (account_id IS NOT NULL))),
  constraint entitlement_purchase CHECK ((((source = 'gift'::text) = (original_lookup IS NULL)) AND ((source = 'gift'::text) = (purchased_at IS NULL)) AND ((source = 'gift'::text) = (signed_at IS NULL)) AND ((source = 'gift'::text) = (notice IS NULL)))),
  constraint entitlement_source CHECK ((source = ANY (ARRAY['app_store'::text, 'gift'::text])))
);
CREATE INDEX entitlement_account ON identity.entitlement USING btree (account_id, study);
CREATE UNIQUE INDEX entitlement_one_gift ON identity.entitlement USING btree (account_id, study, code) WHERE (source = 'gift'::text);
CREATE INDEX entitlement_unclaimed ON identity.entitlement USING btree (changed_at) WHERE (account_id IS NULL);

create table identity.erasure (
  account_ref text not null,
  erased_on date not null,
  constraint erasure_pkey PRIMARY KEY (account_ref)
);

create table identity.invitation (
  account_id uuid not null,
  study text not null,
  role text not null,
  email_lookup bytea not null,
  shown_sealed bytea not null,
  full_export boolean not null,
  sees_arms boolean not null,
  invited_at timestamp with time zone not null,
  constraint invitation_pkey PRIMARY KEY (account_id, study, role),
  constraint invitation_account_id_fkey FOREIGN KEY (account_id) REFERENCES identity.account(account_id) ON DELETE CASCADE,
  constraint invitation_role CHECK ((role = ANY (ARRAY['researcher'::text, 'coordinator'::text, 'editor'::text])))
);
CREATE INDEX invitation_study ON identity.invitation USING btree (study);

create table identity.key_check (
  only_one boolean not null default true,
  digest bytea not null,
  constraint key_check_pkey PRIMARY KEY (only_one),
  constraint key_check_only_one CHECK (only_one)
);

create table identity.login_link (
  code_hash bytea not null,
  account_id uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint login_link_pkey PRIMARY KEY (code_hash),
  constraint login_link_account_id_fkey FOREIGN KEY (account_id) REFERENCES identity.account(account_id) ON DELETE CASCADE
);
CREATE INDEX login_link_account ON identity.login_link USING btree (account_id);

create table identity.membership (
  account_id uuid not null,
  study text not null,
  enrolment_id uuid not null,
  constraint membership_pkey PRIMARY KEY (account_id, study),
  constraint membership_one_account_per_enrolment UNIQUE (enrolment_id),
  constraint membership_account_id_fkey FOREIGN KEY (account_id) REFERENCES identity.account(account_id) ON DELETE CASCADE
);

create table identity.outgoing_mail (
  mail_id uuid not null,
  account_id uuid not null,
  kind text not null,
  message_sealed bytea not null,
  created_at timestamp with time zone not null,
  next_attempt_at timestamp with time zone,
  attempts integer not null default 0,
  outcome text,
  constraint outgoing_mail_pkey PRIMARY KEY (mail_id),
  constraint outgoing_mail_account_id_fkey FOREIGN KEY (account_id) REFERENCES identity.account(account_id) ON DELETE CASCADE
);
CREATE INDEX outgoing_mail_account ON identity.outgoing_mail USING btree (account_id);
CREATE INDEX outgoing_mail_next ON identity.outgoing_mail USING btree (next_attempt_at) WHERE (next_attempt_at IS NOT NULL);

create table identity.password_reset (
  code_hash bytea not null,
  account_id uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint password_reset_pkey PRIMARY KEY (code_hash),
  constraint password_reset_account_id_fkey FOREIGN KEY (account_id) REFERENCES identity.account(account_id) ON DELETE CASCADE
);
CREATE INDEX password_reset_account ON identity.password_reset USING btree (account_id);

create table identity.push_subscription (
  account_id uuid not null,
  subscription_id uuid not null,
  endpoint_lookup bytea not null,
  content_sealed bytea not null,
  registered_at timestamp with time zone not null,
  constraint push_subscription_pkey PRIMARY KEY (account_id, subscription_id),
  constraint push_subscription_account_id_fkey FOREIGN KEY (account_id) REFERENCES identity.account(account_id) ON DELETE CASCADE
);
CREATE INDEX push_subscription_endpoint ON identity.push_subscription USING btree (endpoint_lookup);

create table identity.refresh_token (
  token_hash bytea not null,
  family_id uuid not null,
  parent_hash bytea,
  issued_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint refresh_token_pkey PRIMARY KEY (token_hash),
  constraint refresh_token_family_id_fkey FOREIGN KEY (family_id) REFERENCES identity.token_family(family_id) ON DELETE CASCADE
);
CREATE INDEX refresh_token_family ON identity.refresh_token USING btree (family_id);
CREATE INDEX refresh_token_parent ON identity.refresh_token USING btree (parent_hash);
CREATE INDEX refresh_token_used ON identity.refresh_token USING btree (used_at) WHERE (used_at IS NOT NULL);

create table identity.signing_key (
  key_id text not null,
  key_sealed bytea not null,
  created_at timestamp with time zone not null,
  retires_at timestamp with time zone not null,
  constraint signing_key_pkey PRIMARY KEY (key_id)
);

create table identity.token_family (
  family_id uuid not null,
  account_id uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  revoked_why text,
  constraint token_family_pkey PRIMARY KEY (family_id),
  constraint token_family_account_id_fkey FOREIGN KEY (account_id) REFERENCES identity.account(account_id) ON DELETE CASCADE,
  constraint token_family_why CHECK ((revoked_why = ANY (ARRAY['logout'::text, 'replay'::text, 'password_changed'::text, 'replaced'::text])))
);
CREATE INDEX token_family_account ON identity.token_family USING btree (account_id);
CREATE INDEX token_family_expires ON identity.token_family USING btree (expires_at);
CREATE INDEX token_family_revoked ON identity.token_family USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);

create table identity.web_session (
  token_hash bytea not null,
  family_id uuid not null,
  created_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  seen_at timestamp with time zone,
  constraint web_session_pkey PRIMARY KEY (token_hash),
  constraint web_session_family_id_fkey FOREIGN KEY (family_id) REFERENCES identity.token_family(family_id) ON DELETE CASCADE
);
CREATE INDEX web_session_family ON identity.web_session USING btree (family_id);

create table research.alert (
  enrolment_id uuid not null,
  alert_id uuid not null,
  rule text not null,
  about text not null,
  raised_at timestamp with time zone not null,
  notices integer not null default 0,
  next_notice_at timestamp with time zone,
  acknowledged_at timestamp with time zone,
  note text,
  constraint alert_pkey PRIMARY KEY (enrolment_id, alert_id),
  constraint alert_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE,
  constraint alert_acknowledged CHECK ((((acknowledged_at IS NULL) = (note IS NULL)) AND ((acknowledged_at IS NULL) = (next_notice_at IS NOT NULL))))
);
CREATE INDEX alert_id ON research.alert USING btree (alert_id);
CREATE INDEX alert_next_notice ON research.alert USING btree (next_notice_at) WHERE (next_notice_at IS NOT NULL);

create table research.allocation_counter (
  study text not null,
  stratum text not null,
  next_position integer not null,
  constraint allocation_counter_pkey PRIMARY KEY (study, stratum)
);

create table research.amendment (
  enrolment_id uuid not null,
  amendment_id uuid not null,
  subject text not null,
  subject_id uuid not null,
  kind text not null,
  made_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  body json not null,
  body_sha256 bytea not null,
  state text not null,
  refusal json,
  revision integer,
  device_id uuid,
  sequence bigint,
  stated_at timestamp with time zone,
  constraint amendment_pkey PRIMARY KEY (enrolment_id, amendment_id),
  constraint amendment_kind CHECK (((kind = 'deletion'::text) OR ((kind = 'correction'::text) AND (subject = 'answer_sheet'::text)))),
  constraint amendment_state CHECK ((state = ANY (ARRAY['waiting'::text, 'applied'::text, 'superseded'::text, 'refused'::text]))),
  constraint amendment_subject CHECK ((subject = ANY (ARRAY['answer_sheet'::text, 'walk'::text, 'observation'::text])))
);
CREATE INDEX amendment_subject_id ON research.amendment USING btree (enrolment_id, subject_id);
CREATE INDEX amendment_waiting ON research.amendment USING btree (enrolment_id, subject_id) WHERE (state = 'waiting'::text);

create table research.answer_sheet (
  enrolment_id uuid not null,
  sheet_id uuid not null,
  revision integer not null,
  current boolean not null,
  occasion_id uuid,
  questionnaire text not null,
  version text not null,
  study_version text not null,
  consent_version text not null,
  language text not null,
  started_at timestamp with time zone not null,
  completed_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  zone text not null,
  started_offset_min integer not null,
  completed_offset_min integer not null,
  skew_ms bigint not null,
  standing text not null,
  late_s bigint,
  flags text[] not null,
  completes boolean not null,
  duplicate_of uuid,
  walk_id uuid,
  slots smallint[] not null,
  numbers double precision[] not null,
  cleared text[] not null,
  timings json,
  body_sha256 bytea not null,
  revised_at timestamp with time zone,
  revision_reason text,
  deleted_at timestamp with time zone,
  repeated jsonb,
  presented jsonb,
  device json,
  refers_to uuid,
  source text not null default 'participant'::text,
  key_id uuid,
  scored_at timestamp with time zone,
  covariates text,
  score_values double precision[],
  score_reasons text[],
  score_bands text[],
  score_counts smallint[],
  score_exclusions text[],
  score_errors double precision[],
  constraint answer_sheet_pkey PRIMARY KEY (enrolment_id, sheet_id, revision),
  constraint answer_sheet_scored CHECK ((num_nonnulls(key_id, scored_at, score_values, score_counts) = ANY (ARRAY[0, 4]))),
  constraint answer_sheet_standing CHECK ((standing = ANY (ARRAY['early'::text, 'on_time'::text, 'late'::text, 'out_of_window'::text, 'unscheduled'::text])))
);
CREATE INDEX answer_sheet_besides ON research.answer_sheet USING btree (enrolment_id, occasion_id) WHERE ((occasion_id IS NOT NULL) AND (NOT (current AND completes AND (duplicate_of IS NULL) AND (deleted_at IS NULL))));
CREATE UNIQUE INDEX answer_sheet_one_current ON research.answer_sheet USING btree (enrolment_id, sheet_id) WHERE (current AND (revision > 1));
CREATE UNIQUE INDEX answer_sheet_one_per_occasion ON research.answer_sheet USING btree (enrolment_id, occasion_id) WHERE (current AND completes AND (duplicate_of IS NULL) AND (deleted_at IS NULL));
CREATE INDEX answer_sheet_received ON research.answer_sheet USING btree (enrolment_id, received_at);
CREATE INDEX answer_sheet_unplaced ON research.answer_sheet USING btree (enrolment_id, walk_id) WHERE ((occasion_id IS NULL) AND (walk_id IS NOT NULL));
CREATE INDEX answer_sheet_unscheduled ON research.answer_sheet USING btree (research.local_date(completed_at, completed_offset_min, skew_ms)) WHERE (occasion_id IS NULL);

create table research.answer_text (
  enrolment_id uuid not null,
  sheet_id uuid not null,
  revision integer not null,
  item text not null,
  text text not null,
  constraint answer_text_pkey PRIMARY KEY (enrolment_id, sheet_id, revision, item)
);

create table research.arm_change (
  enrolment_id uuid not null,
  ordinal integer not null,
  from_arm text not null,
  to_arm text not null,
  reason text not null,
  changed_by uuid not null,
  changed_at timestamp with time zone not null,
  constraint arm_change_pkey PRIMARY KEY (enrolment_id, ordinal),
  constraint arm_change_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE
);

create table research.award (
  enrolment_id uuid not null,
  award text not null,
  ordinal integer not null,
  rule text not null,
  awarded_at timestamp with time zone not null,
  constraint award_pkey PRIMARY KEY (enrolment_id, award, ordinal),
  constraint award_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE,
  constraint award_ordinal CHECK ((ordinal > 0))
);

create table research.broadcast (
  study text not null,
  broadcast_id uuid not null,
  body_sha256 bytea not null,
  arms text[],
  participants text[],
  words json not null,
  channels text[],
  target text,
  not_before timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  cancelled_at timestamp with time zone,
  addressed_through uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  finished_at timestamp with time zone,
  constraint broadcast_pkey PRIMARY KEY (study, broadcast_id),
  constraint broadcast_study_fkey FOREIGN KEY (study) REFERENCES research.study(study)
);
CREATE INDEX broadcast_waiting ON research.broadcast USING btree (not_before) WHERE ((finished_at IS NULL) AND (cancelled_at IS NULL));

create table research.calibration (
  enrolment_id uuid not null,
  calibration_id uuid not null,
  recorded_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  mean_speed_kmh double precision not null,
  reduction_percent double precision not null,
  duration_s double precision not null,
  target_speed_kmh double precision not null,
  body_sha256 bytea not null,
  skew_ms bigint not null default 0,
  constraint calibration_pkey PRIMARY KEY (enrolment_id, calibration_id)
);

create table research.change (
  enrolment_id uuid not null,
  kind text not null,
  subject_id uuid not null,
  study text not null,
  change_seq bigint,
  constraint change_pkey PRIMARY KEY (enrolment_id, kind, subject_id),
  constraint change_kind CHECK ((kind = ANY (ARRAY['enrolment'::text, 'calibration'::text, 'occasion'::text, 'walk'::text, 'observation'::text, 'usage_event'::text, 'answer_sheet'::text])))
);
CREATE INDEX change_numbered ON research.change USING btree (study, change_seq) WHERE (change_seq IS NOT NULL);
CREATE INDEX change_waiting ON research.change USING btree (study) WHERE (change_seq IS NULL);

create table research.change_counter (
  study text not null,
  last_seq bigint not null default 0,
  constraint change_counter_pkey PRIMARY KEY (study)
);

create table research.content_edition (
  study text not null,
  edition integer not null,
  digest text not null,
  files jsonb not null,
  media text[] not null,
  public_media text[] not null,
  published_at timestamp with time zone not null,
  constraint content_edition_pkey PRIMARY KEY (study, edition),
  constraint content_edition_digest CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
  constraint content_edition_edition CHECK ((edition > 0))
);

create table research.content_publication (
  study text not null,
  collection text not null,
  item text not null,
  edition integer not null,
  published_at timestamp with time zone not null,
  constraint content_publication_pkey PRIMARY KEY (study, collection, item)
);

create table research.content_selection (
  enrolment_id uuid not null,
  collection text not null,
  selector text not null,
  slot text not null,
  item text not null,
  edition integer not null,
  selected_at timestamp with time zone not null,
  constraint content_selection_pkey PRIMARY KEY (enrolment_id, collection, selector, slot),
  constraint content_selection_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE
);

create table research.decision (
  enrolment_id uuid not null,
  rule text not null,
  point text not null,
  key text not null,
  study_version text not null,
  moment timestamp with time zone not null,
  decided_at timestamp with time zone not null,
  outcome text not null,
  available boolean not null,
  probability double precision,
  draw double precision,
  variables json not null,
  message_id uuid,
  constraint decision_pkey PRIMARY KEY (enrolment_id, rule, point, key),
  constraint decision_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE,
  constraint decision_draw CHECK (((draw IS NULL) OR (probability IS NOT NULL)))
);
CREATE INDEX decision_rule ON research.decision USING btree (rule, decided_at DESC, enrolment_id DESC, outcome);

create table research.device (
  enrolment_id uuid not null,
  device_id uuid not null,
  first_seen_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  received int8multirange not null,
  constraint device_pkey PRIMARY KEY (enrolment_id, device_id),
  constraint device_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE
);

create table research.enrolment (
  enrolment_id uuid not null,
  study text not null,
  study_version text not null,
  participant_id text not null,
  arm text not null,
  allocation_stratum text not null,
  allocation_position integer not null,
  allocation_method text not null,
  consent_version text not null,
  consented_at timestamp with time zone not null,
  enrolled_at timestamp with time zone not null,
  enrolled_on date not null,
  zone_at_start text not null,
  zone text not null,
  language text not null,
  status text not null default 'active'::text,
  ended_at timestamp with time zone,
  end_reason text,
  reminder_at integer,
  reminders_on boolean not null default true,
  next_reminder_at timestamp with time zone,
  planned_through date not null,
  allocation_factors jsonb not null default '{}'::jsonb,
  allocation_basis jsonb not null default '{}'::jsonb,
  allocation_seed text,
  reminder_channels text[] not null default '{mail}'::text[],
  email_verified boolean not null default false,
  next_decision_at timestamp with time zone,
  decided_until timestamp with time zone,
  undecided_records uuid[] not null default '{}'::uuid[],
  account_kind text not null default 'registered'::text,
  constraint enrolment_pkey PRIMARY KEY (enrolment_id),
  constraint enrolment_study_fkey FOREIGN KEY (study) REFERENCES research.study(study),
  constraint enrolment_study_study_version_fkey FOREIGN KEY (study, study_version) REFERENCES research.study_version(study, version),
  constraint enrolment_account_kind CHECK ((account_kind = ANY (ARRAY['anonymous'::text, 'registered'::text]))),
  constraint enrolment_reminder_at CHECK (((reminder_at >= 0) AND (reminder_at <= 86399))),
  constraint enrolment_reminder_channels CHECK (((reminder_channels <@ '{mail,push,webhook,in_app}'::text[]) AND ((cardinality(reminder_channels) >= 1) AND (cardinality(reminder_channels) <= 4)))),
  constraint enrolment_status CHECK ((status = ANY (ARRAY['active'::text, 'stopped'::text, 'excluded'::text])))
);
CREATE INDEX enrolment_next_decision ON research.enrolment USING btree (next_decision_at) WHERE ((next_decision_at IS NOT NULL) AND (status = 'active'::text));
CREATE INDEX enrolment_next_reminder ON research.enrolment USING btree (next_reminder_at) WHERE ((next_reminder_at IS NOT NULL) AND (status = 'active'::text) AND reminders_on);
CREATE INDEX enrolment_planned_through ON research.enrolment USING btree (planned_through, enrolment_id) WHERE (status = 'active'::text);
CREATE INDEX enrolment_pseudonym ON research.enrolment USING btree (study, participant_id);
CREATE INDEX enrolment_study ON research.enrolment USING btree (study, study_version);
CREATE INDEX enrolment_undecided ON research.enrolment USING btree (next_decision_at) WHERE (undecided_records <> '{}'::uuid[]);

create table research.enrolment_code (
  code_id uuid not null,
  study text not null,
  code_digest bytea not null,
  label text not null,
  maximum_uses integer not null,
  uses integer not null default 0,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  constraint enrolment_code_pkey PRIMARY KEY (code_id),
  constraint enrolment_code_digest UNIQUE (code_digest),
  constraint enrolment_code_study_fkey FOREIGN KEY (study) REFERENCES research.study(study),
  constraint enrolment_code_uses CHECK (((uses >= 0) AND (uses <= maximum_uses)))
);
CREATE INDEX enrolment_code_study ON research.enrolment_code USING btree (study, created_at DESC, code_id DESC);

create table research.enrolment_code_use (
  enrolment_id uuid not null,
  code_id uuid not null,
  used_at timestamp with time zone not null,
  constraint enrolment_code_use_pkey PRIMARY KEY (enrolment_id),
  constraint enrolment_code_use_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE
);

create table research.enrolment_consent (
  enrolment_id uuid not null,
  consent_version text not null,
  consented_at timestamp with time zone not null,
  study_version text not null,
  language text not null,
  text_digest text,
  constraint enrolment_consent_pkey PRIMARY KEY (enrolment_id, consent_version),
  constraint enrolment_consent_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE
);

create table research.enrolment_data_kind (
  enrolment_id uuid not null,
  kind text not null,
  granted_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  purged_at timestamp with time zone,
  constraint enrolment_data_kind_pkey PRIMARY KEY (enrolment_id, kind, granted_at),
  constraint enrolment_data_kind_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE,
  constraint enrolment_data_kind_order CHECK (((revoked_at IS NULL) OR (revoked_at >= granted_at)))
);

create table research.enrolment_event (
  enrolment_id uuid not null,
  event text not null,
  revision integer not null,
  occurred_at timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  constraint enrolment_event_pkey PRIMARY KEY (enrolment_id, event, revision),
  constraint enrolment_event_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE
);

create table research.enrolment_pause (
  enrolment_id uuid not null,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone,
  constraint enrolment_pause_pkey PRIMARY KEY (enrolment_id, from_at),
  constraint enrolment_pause_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE
);

create table research.enrolment_unblinding (
  enrolment_id uuid not null,
  ordinal integer not null,
  reason text not null,
  unblinded_by uuid not null,
  unblinded_at timestamp with time zone not null,
  constraint enrolment_unblinding_pkey PRIMARY KEY (enrolment_id, ordinal),
  constraint enrolment_unblinding_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE
);

create table research.enrolment_version (
  enrolment_id uuid not null,
  study_version text not null,
  followed_from timestamp with time zone not null,
  constraint enrolment_version_pkey PRIMARY KEY (enrolment_id, study_version),
  constraint enrolment_version_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE
);

create table research.enrolment_zone (
  enrolment_id uuid not null,
  effective_from timestamp with time zone not null,
  zone text not null,
  source text not null,
  constraint enrolment_zone_pkey PRIMARY KEY (enrolment_id, effective_from),
  constraint enrolment_zone_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE
);

create table research.entitlement_period (
  enrolment_id uuid not null,
  entitlement_id uuid not null,
  valid_from timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  entitlement text not null,
  source text not null,
  valid_until timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint entitlement_period_pkey PRIMARY KEY (enrolment_id, entitlement_id, valid_from, recorded_at),
  constraint entitlement_period_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE,
  constraint entitlement_period_source CHECK ((source = ANY (ARRAY['app_store'::text, 'gift'::text])))
);

create table research.erasure (
  erasure_id uuid not null,
  study text not null,
  erased_on date not null,
  enrolment_ref text,
  change_seq bigint,
  constraint erasure_pkey PRIMARY KEY (erasure_id)
);
CREATE INDEX erasure_numbered ON research.erasure USING btree (study, change_seq);

create table research.export_job (
  export_id uuid not null,
  study text not null,
  requested_by uuid not null,
  profile text not null,
  filters jsonb not null,
  requested_at timestamp with time zone not null,
  state text not null,
  progress double precision not null default 0,
  lease_until timestamp with time zone,
  finished_at timestamp with time zone,
  file_name text,
  file_bytes bigint,
  file_sha256 text,
  failure text,
  request_digest text,
  asked_tag text,
  snapshot_tag text,
  snapshot text,
  change_seq bigint,
  attempt integer not null default 0,
  current_file text,
  rows_done bigint not null default 0,
  rows_estimated bigint,
  wanted_at timestamp with time zone,
  blinded boolean not null default false,
  result text,
  constraint export_job_pkey PRIMARY KEY (export_id),
  constraint export_job_state CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text, 'cancelled'::text, 'expired'::text, 'deleted'::text])))
);
CREATE INDEX export_job_done ON research.export_job USING btree (study, request_digest) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text]));
CREATE UNIQUE INDEX export_job_one_running ON research.export_job USING btree (study, ((profile = 'statistics'::text))) WHERE (state = 'running'::text);
CREATE INDEX export_job_open ON research.export_job USING btree (requested_at) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX export_job_study ON research.export_job USING btree (study, requested_at DESC);

create table research.history (
  only_one boolean not null default true,
  history_id uuid not null,
  began_at timestamp with time zone not null,
  constraint history_pkey PRIMARY KEY (only_one),
  constraint history_only_one CHECK (only_one)
);

create table research.inbox_message (
  enrolment_id uuid not null,
  message_id uuid not null,
  rule text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  subject text not null,
  body text not null,
  target text,
  collection text,
  item text,
  edition integer,
  counts_for_day boolean not null,
  opened_at timestamp with time zone,
  acted_at timestamp with time zone,
  dismissed_at timestamp with time zone,
  channels text[],
  broadcast_id uuid,
  constraint inbox_message_pkey PRIMARY KEY (enrolment_id, message_id),
  constraint inbox_message_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE
);
CREATE INDEX inbox_message_broadcast ON research.inbox_message USING btree (broadcast_id) WHERE (broadcast_id IS NOT NULL);
CREATE INDEX inbox_message_newest ON research.inbox_message USING btree (enrolment_id, created_at DESC, message_id);

create table research.media (
  sha256 text not null,
  media_type text not null,
  byte_count integer not null,
  stored_at timestamp with time zone not null,
  studies text[] not null,
  constraint media_pkey PRIMARY KEY (sha256),
  constraint media_byte_count CHECK ((byte_count > 0)),
  constraint media_sha256 CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
);

create table research.media_part (
  sha256 text not null,
  part integer not null,
  bytes bytea not null,
  constraint media_part_pkey PRIMARY KEY (sha256, part),
  constraint media_part_sha256_fkey FOREIGN KEY (sha256) REFERENCES research.media(sha256) ON DELETE CASCADE,
  constraint media_part_bytes CHECK (((length(bytes) >= 1) AND (length(bytes) <= 1048576))),
  constraint media_part_part CHECK ((part >= 0))
);

create table research.observation (
  enrolment_id uuid not null,
  observation_id uuid not null,
  system text not null,
  code text not null,
  display text,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  zone text not null,
  started_offset_min integer not null,
  ended_offset_min integer not null,
  modality text not null,
  statistic text,
  device json,
  provenance json,
  detail json,
  flags text[] not null,
  component_systems text[] not null,
  component_codes text[] not null,
  component_displays text[] not null,
  units text[] not null,
  t_ms integer[] not null,
  until_ms bigint[],
  samples double precision[] not null,
  counts integer[] not null,
  minima double precision[] not null,
  maxima double precision[] not null,
  means double precision[] not null,
  body_sha256 bytea not null,
  skew_ms bigint not null,
  deleted_at timestamp with time zone,
  revision integer not null default 1,
  constraint observation_pkey PRIMARY KEY (enrolment_id, observation_id),
  constraint observation_modality CHECK ((modality = ANY (ARRAY['sensed'::text, 'self_reported'::text]))),
  constraint observation_samples CHECK (((cardinality(samples) = (cardinality(t_ms) * cardinality(units))) AND (cardinality(units) = cardinality(component_codes))))
);
CREATE INDEX observation_local_date ON research.observation USING btree (research.local_date(started_at, started_offset_min, skew_ms));
CREATE INDEX observation_started ON research.observation USING btree (enrolment_id, started_at DESC, observation_id DESC);

create table research.occasion (
  enrolment_id uuid not null,
  occasion_id uuid not null,
  schedule text not null,
  anchor_instance text not null,
  day_index integer not null,
  slot_index integer not null,
  questionnaire text not null,
  study_version text not null,
  local_date date not null,
  zone text not null,
  visible_at timestamp with time zone not null,
  open_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  close_at timestamp with time zone not null,
  dst_adjusted boolean not null default false,
  set_aside text,
  completed_at timestamp with time zone,
  sheet_id uuid,
  planned_at timestamp with time zone not null,
  constraint occasion_pkey PRIMARY KEY (enrolment_id, occasion_id),
  constraint occasion_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE,
  constraint occasion_window CHECK (((visible_at <= open_at) AND (open_at <= due_at) AND (due_at <= close_at)))
);
CREATE INDEX occasion_answered ON research.occasion USING btree (enrolment_id) WHERE (completed_at IS NOT NULL);
CREATE INDEX occasion_local_date ON research.occasion USING btree (local_date);
CREATE INDEX occasion_unanswered ON research.occasion USING btree (enrolment_id, close_at) WHERE ((completed_at IS NULL) AND (set_aside IS NULL));

create table research.quarantine (
  enrolment_id uuid not null,
  kind text not null,
  client_id uuid not null,
  body_sha256 bytea not null,
  body bytea not null,
  received_at timestamp with time zone not null,
  constraint quarantine_pkey PRIMARY KEY (enrolment_id, kind, client_id, body_sha256),
  constraint quarantine_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE
);

create table research.questionnaire_version (
  questionnaire text not null,
  version text not null,
  digest text not null,
  structure jsonb not null,
  published_at timestamp with time zone not null,
  constraint questionnaire_version_pkey PRIMARY KEY (questionnaire, version)
);

create table research.reminder (
  enrolment_id uuid not null,
  kind text not null,
  subject text not null,
  ordinal integer not null,
  planned_at timestamp with time zone not null,
  claimed_at timestamp with time zone not null,
  occasion_count integer not null,
  state text not null,
  why text,
  next_attempt_at timestamp with time zone,
  message_id uuid not null default gen_random_uuid(),
  expires_at timestamp with time zone,
  sent_at timestamp with time zone,
  delivered_at timestamp with time zone,
  opened_at timestamp with time zone,
  claim_id uuid,
  inbox_message_id uuid,
  channel text,
  constraint reminder_pkey PRIMARY KEY (enrolment_id, kind, subject, ordinal),
  constraint reminder_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE,
  constraint reminder_state CHECK ((state = ANY (ARRAY['claimed'::text, 'retrying'::text, 'sent'::text, 'failed'::text, 'unknown'::text, 'suppressed'::text])))
);
CREATE INDEX reminder_claimed ON research.reminder USING btree (claimed_at) WHERE (state = 'claimed'::text);
CREATE INDEX reminder_message ON research.reminder USING btree (enrolment_id, message_id);
CREATE INDEX reminder_next_attempt ON research.reminder USING btree (next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX reminder_planned ON research.reminder USING brin (planned_at);

create table research.reminder_attempt (
  enrolment_id uuid not null,
  kind text not null,
  subject text not null,
  ordinal integer not null,
  attempt integer not null,
  channel text not null,
  attempted_at timestamp with time zone not null,
  outcome text not null,
  reply_code integer,
  constraint reminder_attempt_pkey PRIMARY KEY (enrolment_id, kind, subject, ordinal, attempt),
  constraint reminder_attempt_enrolment_id_kind_subject_ordinal_fkey FOREIGN KEY (enrolment_id, kind, subject, ordinal) REFERENCES research.reminder(enrolment_id, kind, subject, ordinal) ON DELETE CASCADE
);

create table research.reminder_channel (
  enrolment_id uuid not null,
  channel text not null,
  failures integer not null,
  last_failed_at timestamp with time zone not null,
  unreachable_since timestamp with time zone,
  constraint reminder_channel_pkey PRIMARY KEY (enrolment_id, channel),
  constraint reminder_channel_enrolment_id_fkey FOREIGN KEY (enrolment_id) REFERENCES research.enrolment(enrolment_id) ON DELETE CASCADE
);

create table research.reminder_snooze (
  enrolment_id uuid not null,
  occasion_id uuid not null,
  ordinal integer not null,
  asked_at timestamp with time zone not null,
  until_at timestamp with time zone not null,
  constraint reminder_snooze_pkey PRIMARY KEY (enrolment_id, occasion_id, ordinal),
  constraint reminder_snooze_enrolment_id_occasion_id_fkey FOREIGN KEY (enrolment_id, occasion_id) REFERENCES research.occasion(enrolment_id, occasion_id) ON DELETE CASCADE
);

create table research.rescored_sheet (
  enrolment_id uuid not null,
  sheet_id uuid not null,
  revision integer not null,
  key_id uuid not null,
  scored_at timestamp with time zone not null,
  covariates text,
  score_values double precision[] not null,
  score_reasons text[],
  score_bands text[],
  score_counts smallint[] not null,
  score_exclusions text[],
  score_errors double precision[],
  constraint rescored_sheet_pkey PRIMARY KEY (enrolment_id, sheet_id, revision, key_id),
  constraint rescored_sheet_enrolment_id_sheet_id_revision_fkey FOREIGN KEY (enrolment_id, sheet_id, revision) REFERENCES research.answer_sheet(enrolment_id, sheet_id, revision) ON DELETE CASCADE
);

create table research.rescoring (
  rescoring_id uuid not null,
  study text not null,
  study_version text not null,
  rules_digest text not null,
  engine_version text not null,
  cause text not null,
  requested_at timestamp with time zone not null,
  state text not null default 'queued'::text,
  lease_until timestamp with time zone,
  sheets_total bigint not null,
  sheets_seen bigint not null default 0,
  rows_added bigint not null default 0,
  damaged bigint not null default 0,
  batches integer not null default 0,
  at_questionnaire text not null default ''::text,
  at_version text not null default ''::text,
  at_enrolment uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  at_sheet uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  at_revision integer not null default 0,
  finished_at timestamp with time zone,
  failure text,
  constraint rescoring_pkey PRIMARY KEY (rescoring_id),
  constraint rescoring_study_fkey FOREIGN KEY (study) REFERENCES research.study(study),
  constraint rescoring_cause CHECK ((cause = ANY (ARRAY['publication'::text, 'engine'::text, 'request'::text]))),
  constraint rescoring_state CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'settling'::text, 'done'::text, 'superseded'::text, 'failed'::text])))
);
CREATE UNIQUE INDEX rescoring_one_unfinished ON research.rescoring USING btree (study) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text, 'settling'::text]));
CREATE INDEX rescoring_study ON research.rescoring USING btree (study, requested_at DESC, rescoring_id DESC);

create table research.rescoring_move (
  rescoring_id uuid not null,
  questionnaire text not null,
  version text not null,
  scale text not null,
  band_from text not null,
  band_to text not null,
  sheets bigint not null,
  constraint rescoring_move_pkey PRIMARY KEY (rescoring_id, questionnaire, version, scale, band_from, band_to),
  constraint rescoring_move_rescoring_id_fkey FOREIGN KEY (rescoring_id) REFERENCES research.rescoring(rescoring_id) ON DELETE CASCADE
);

create table research.rescoring_scale (
  rescoring_id uuid not null,
  questionnaire text not null,
  version text not null,
  scale text not null,
  key_version text not null,
  key_digest text not null,
  sheets bigint not null,
  first_scores bigint not null,
  unchanged bigint not null,
  changed bigint not null,
  became_null bigint not null,
  gained_value bigint not null,
  band_moves bigint not null,
  compared bigint not null,
  total_change double precision not null,
  greatest_change double precision not null,
  constraint rescoring_scale_pkey PRIMARY KEY (rescoring_id, questionnaire, version, scale),
  constraint rescoring_scale_rescoring_id_fkey FOREIGN KEY (rescoring_id) REFERENCES research.rescoring(rescoring_id) ON DELETE CASCADE
);

create table research.scoring_key (
  key_id uuid not null,
  key_version text not null,
  key_digest text not null,
  engine_version text not null,
  scales text[] not null,
  constraint scoring_key_pkey PRIMARY KEY (key_id)
);

create table research.study (
  study text not null,
  live_version text not null,
  closed_at timestamp with time zone,
  constraint study_pkey PRIMARY KEY (study)
);

create table research.study_draft (
  study text not null,
  based_on text,
  revision integer not null,
  changed_at timestamp with time zone not null,
  changed_by uuid not null,
  audited_hour timestamp with time zone not null,
  audited_accounts uuid[] not null,
  edition integer,
  constraint study_draft_pkey PRIMARY KEY (study),
  constraint study_draft_revision CHECK ((revision > 0))
);

create table research.study_draft_end (
  study text not null,
  revision integer not null,
  constraint study_draft_end_pkey PRIMARY KEY (study),
  constraint study_draft_end_revision CHECK ((revision > 0))
);

create table research.study_draft_file (
  study text not null,
  path text not null,
  content text not null,
  constraint study_draft_file_pkey PRIMARY KEY (study, path),
  constraint study_draft_file_study_fkey FOREIGN KEY (study) REFERENCES research.study_draft(study) ON DELETE CASCADE
);

create table research.study_unblinding (
  study text not null,
  reason text not null,
  unblinded_by uuid not null,
  unblinded_at timestamp with time zone not null,
  constraint study_unblinding_pkey PRIMARY KEY (study)
);

create table research.study_version (
  study text not null,
  version text not null,
  digest text not null,
  files jsonb not null,
  published_at timestamp with time zone not null,
  constraint study_version_pkey PRIMARY KEY (study, version)
);

create table research.study_webhook (
  study text not null,
  url text not null,
  secret_sealed bytea not null,
  set_at timestamp with time zone not null,
  failures integer not null default 0,
  failing_since timestamp with time zone,
  last_reply_code integer,
  disabled_at timestamp with time zone,
  disabled_why text,
  constraint study_webhook_pkey PRIMARY KEY (study),
  constraint study_webhook_study_fkey FOREIGN KEY (study) REFERENCES research.study(study),
  constraint study_webhook_disabled_why CHECK ((disabled_why = ANY (ARRAY['gone'::text, 'failing'::text])))
);

create table research.usage_event (
  enrolment_id uuid not null,
  event_id uuid not null,
  event text not null,
  happened_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  zone text not null,
  offset_min integer not null,
  skew_ms bigint not null,
  occasion_id uuid,
  questionnaire text,
  properties json,
  body_sha256 bytea not null,
  feature text,
  collection text,
  item text,
  seconds double precision,
  constraint usage_event_pkey PRIMARY KEY (enrolment_id, event_id),
  constraint usage_event_event CHECK ((event = ANY (ARRAY['app_opened'::text, 'app_closed'::text, 'app_crashed'::text, 'screen_seen'::text, 'prompt_delivered'::text, 'prompt_opened'::text, 'prompt_dismissed'::text, 'sheet_begun'::text, 'sheet_left'::text, 'permission_changed'::text, 'app_updated'::text, 'feature_opened'::text, 'content_shown'::text, 'content_played'::text, 'content_completed'::text])))
);
CREATE INDEX usage_event_feature_opened ON research.usage_event USING btree (enrolment_id, feature, happened_at) WHERE (event = 'feature_opened'::text);
CREATE INDEX usage_event_local_date ON research.usage_event USING btree (research.local_date(happened_at, offset_min, skew_ms));

create table research.walk (
  enrolment_id uuid not null,
  walk_id uuid not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  zone text not null,
  started_offset_min integer not null,
  ended_offset_min integer not null,
  device json,
  calibration_id uuid,
  flags text[] not null,
  sport text,
  pauses_ms bigint[] not null,
  totals json,
  t_ms integer[] not null,
  speed_kmh double precision[],
  heart_rate_bpm double precision[],
  sample_distance_m double precision[],
  sample_energy_kcal double precision[],
  elapsed_s double precision not null,
  active_s double precision not null,
  distance_m double precision,
  mean_speed_kmh double precision,
  mean_pace_s_per_km double precision,
  mean_heart_rate_bpm double precision,
  max_heart_rate_bpm double precision,
  active_energy_kcal double precision,
  target_speed_kmh double precision,
  above_target_s double precision,
  above_target_count integer,
  coverage double precision,
  body_sha256 bytea not null,
  deleted_at timestamp with time zone,
  skew_ms bigint not null default 0,
  constraint walk_pkey PRIMARY KEY (enrolment_id, walk_id)
);
CREATE INDEX walk_calibration ON research.walk USING btree (enrolment_id, calibration_id);
CREATE INDEX walk_local_date ON research.walk USING btree (research.local_date(started_at, started_offset_min, skew_ms));
CREATE INDEX walk_started ON research.walk USING btree (enrolment_id, started_at DESC, walk_id);
