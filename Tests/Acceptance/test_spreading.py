"""Citus can distribute the schema over many servers, by enrolment. A query of the live catalogue checks the rules of Citus and names violations.

docs/scale.md explains the exceptions."""

import contextlib
import secrets

import pytest

# Reference tables: small, joined with records of participants, and copied to every server.
REFERENCES = "research.broadcast research.content_edition research.content_publication research.media research.media_part research.questionnaire_version research.scoring_key research.study research.study_version research.study_webhook".split()

# Tables on the coordinator only: identities, actions of staff, and jobs.
LOCALS = """
audit.entry identity.account identity.account_grant identity.api_token identity.email_verification identity.ended_family identity.entitlement identity.erasure identity.invitation identity.key_check identity.login_link identity.membership identity.outgoing_mail
identity.push_subscription
identity.password_reset identity.refresh_token identity.signing_key identity.token_family identity.web_session public.saunter_migration
research.allocation_counter research.change_counter research.enrolment_code research.erasure research.export_job research.history research.rescoring
research.rescoring_move research.rescoring_scale research.study_draft research.study_draft_end research.study_draft_file research.study_unblinding
""".split()

# Triggers that need citus.enable_unsafe_triggers. Each changes only rows of the enrolment that fired it.
TRIGGERS = """
answer_sheet_again_current answer_sheet_new_current answer_sheet_note_changed answer_sheet_note_new calibration_note_new
enrolment_note_changed enrolment_note_new observation_note_changed observation_note_new occasion_note_changed occasion_note_new
rescored_sheet_note_changed rescored_sheet_note_new usage_event_note_new walk_note_changed walk_note_new
""".split()

QUERY = """
    with named as (
      select c.oid, format('%%I.%%I', n.nspname, c.relname) as name, a.attnum as enrolment, a.atttypid as type,
        n.nspname = 'research' and a.attnum is not null as is_spread
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
        and n.nspname in ('research', 'identity', 'audit', 'public')
      left join pg_attribute a on a.attrelid = c.oid and a.attname = 'enrolment_id'
      where c.relkind in ('r', 'p')
    ), distributed as (
      select *, case when is_spread then 'spread' when name = any (%(references)s) then 'reference'
        when name = any (%(locals)s) then 'local' end as distribution
      from named
    ), found (name, fault) as (
      select name, 'has no distribution: not by enrolment, and neither a reference table nor a local one'
      from distributed where distribution is null
      union all
      select name, 'its enrolment_id is ' || type::regtype from distributed where is_spread and type <> 'uuid'::regtype
      union all
      select name, 'has no primary key' from distributed
      where is_spread and not exists (select from pg_index i where i.indrelid = distributed.oid and i.indisprimary)
      union all
      select t.name, u.relname || ' does not hold the enrolment' from distributed t
      join pg_index i on i.indrelid = t.oid and (i.indisunique or i.indisexclusion)
      join pg_class u on u.oid = i.indexrelid
      where t.is_spread and not t.enrolment = any (i.indkey::int2[])
      union all
      select t.name, c.conname || case
        when t.distribution = 'local' then ' leads from a local table to ' || f.name
        when t.distribution = 'reference' then ' leads from a reference table to ' || f.name
        when not f.is_spread then ' leads to ' || f.name || ', which is local'
        else ' does not carry the enrolment to ' || f.name end
      from pg_constraint c join distributed t on t.oid = c.conrelid join distributed f on f.oid = c.confrelid
      where c.contype = 'f' and case
        when t.is_spread and f.is_spread then
          array_position(c.conkey, t.enrolment) is distinct from array_position(c.confkey, f.enrolment)
          or not t.enrolment = any (c.conkey)
        when t.is_spread then f.distribution <> 'reference'
        else f.is_spread end
      union all
      select t.name, c.conname || ' sets the enrolment to null' from pg_constraint c
      join distributed t on t.oid = c.conrelid
      where c.contype = 'f' and t.is_spread and t.enrolment = any (c.conkey)
        and ('{n,d}'::"char"[] @> array[c.confdeltype] or '{n,d}'::"char"[] @> array[c.confupdtype])
      union all
      select t.name, g.tgname || ' is a trigger' from pg_trigger g join distributed t on t.oid = g.tgrelid
      where not g.tgisinternal and t.distribution in ('spread', 'reference')
        and not g.tgname = any (%(triggers)s)
      union all
      select t.name, a.attname || ' takes its numbers from a sequence' from distributed t
      join pg_attribute a on a.attrelid = t.oid
      left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
      where t.is_spread and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like 'nextval(%%')
      union all
      select t.name, r.rulename || ' is a rule' from distributed t join pg_rewrite r on r.ev_class = t.oid
      where t.distribution in ('spread', 'reference')
      union all
      select t.name, 'inherits from ' || h.inhparent::regclass from distributed t join pg_inherits h on h.inhrelid = t.oid
      where t.is_spread
    )
    select name || ': ' || fault as value from found order by 1
"""

CASES = [
    (
        "create table research.extra (n int primary key)",
        "research.extra: has no distribution: not by enrolment, and neither a reference table nor a local one",
    ),
    ("create table research.extra (n int primary key, enrolment_id uuid)", "research.extra: extra_pkey does not hold the enrolment"),
    ("create table research.extra (enrolment_id uuid)", "research.extra: has no primary key"),
    ("create table research.extra (enrolment_id text primary key)", "research.extra: its enrolment_id is text"),
    ("create unique index walk_extra on research.walk (walk_id)", "research.walk: walk_extra does not hold the enrolment"),
    (
        "alter table research.walk add column extra uuid references research.enrolment",
        "research.walk: walk_extra_fkey does not carry the enrolment to research.enrolment",
    ),
    (
        "alter table research.walk add column extra uuid references identity.account",
        "research.walk: walk_extra_fkey leads to identity.account, which is local",
    ),
    (
        "alter table research.study add column extra uuid references research.enrolment",
        "research.study: study_extra_fkey leads from a reference table to research.enrolment",
    ),
    (
        "alter table research.erasure add column extra uuid references research.enrolment",
        "research.erasure: erasure_extra_fkey leads from a local table to research.enrolment",
    ),
    (
        "alter table research.reminder_channel drop constraint reminder_channel_enrolment_id_fkey, add foreign key (enrolment_id) references research.enrolment on delete set null",
        "research.reminder_channel: reminder_channel_enrolment_id_fkey sets the enrolment to null",
    ),
    ("create trigger extra before truncate on research.walk execute function audit.refuse()", "research.walk: extra is a trigger"),
    ("create trigger extra before truncate on research.study execute function audit.refuse()", "research.study: extra is a trigger"),
    ("alter table research.walk add column extra bigserial", "research.walk: extra takes its numbers from a sequence"),
    ("alter table research.walk add column extra int generated always as identity", "research.walk: extra takes its numbers from a sequence"),
    ("create rule extra as on delete to research.walk do instead nothing", "research.walk: extra is a rule"),
    (
        "create table research.extra (enrolment_id uuid primary key) inherits (research.quarantine)",
        "research.extra: inherits from research.quarantine",
    ),
]


def violations(server, change=""):
    """One sentence for each violation, after a schema change that is rolled back."""
    lists = {name: "'{" + ",".join(names) + "}'::text[]" for name, names in (
        ("references", REFERENCES), ("locals", LOCALS), ("triggers", TRIGGERS))}
    return server.sql(f"begin; {change}; {QUERY % lists}; rollback").splitlines()


@pytest.fixture(scope="module")
def schema(server):
    """The schema that the server made, in a separate database."""
    name = "spread_" + secrets.token_hex(4)
    server.sql(f"create database {name}")
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: server.sql(f"drop database {name} with (force)"))
        server.run("migrate", SAUNTER_DATABASE_URL=server.connection(name))

        class Schema:
            @staticmethod
            def sql(text):
                return server.sql(text, name)

        yield Schema


def test_every_table_has_a_distribution_and_none_violates_a_rule_of_citus(schema):
    assert violations(schema) == []


def test_every_exception_is_still_needed(schema):
    tables = schema.sql(
        "select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p')").split()
    assert set(REFERENCES + LOCALS) <= set(tables)
    assert set(TRIGGERS) <= set(schema.sql("select tgname from pg_trigger where not tgisinternal").split())


@pytest.mark.parametrize("change, violation", CASES, ids=[violation for _, violation in CASES])
def test_a_change_that_violates_a_rule_is_named(schema, change, violation):
    assert violation in violations(schema, change)
