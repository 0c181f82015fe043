-- RFC 3339 in UTC with milliseconds, as before, but never beyond the years that it can write. What a device says of its moments lies within them; corrected by a
-- clock that was a hundred years off it need not, and is told as the first or the last moment there is, as everywhere else.
create or replace function research.instant_text(at timestamptz) returns text language sql stable parallel safe as $$
  select to_char(
    case
      when at < '0001-01-01T00:00:00Z'::timestamptz then '0001-01-01T00:00:00Z'::timestamptz
      when at > '9999-12-31T23:59:59.999Z'::timestamptz then '9999-12-31T23:59:59.999Z'::timestamptz
      else at
    end at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
