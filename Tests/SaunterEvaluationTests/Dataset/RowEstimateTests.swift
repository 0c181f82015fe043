import Postgres
import Testing

@testable import SaunterEvaluation

@Suite struct RowEstimateTests {
    @Test func `the estimate of every table with histories is its number of rows`() async throws {
        try await Garden.with { garden in
            try await garden.change(
                """
                insert into research.enrolment_consent values
                  ('00000000-0000-4000-8000-0000000000e1', '1.0.0', '2026-03-28T10:00Z', '1.0.0', 'de', 'x'),
                  ('00000000-0000-4000-8000-0000000000e1', '1.1.0', '2026-03-29T10:00Z', '2.0.0', 'de', 'y');
                insert into research.enrolment_version values
                  ('00000000-0000-4000-8000-0000000000e1', '1.0.0', '2026-03-28T10:00Z');
                insert into research.enrolment_event select '00000000-0000-4000-8000-0000000000e1', 'harvest', revision,
                  '2026-03-28T12:00Z', '2026-03-28T12:00Z' from generate_series(1, 7) as revision;
                insert into research.enrolment_pause values
                  ('00000000-0000-4000-8000-0000000000e1', '2026-03-28T11:00Z', '2026-03-28T12:00Z'),
                  ('00000000-0000-4000-8000-0000000000e2', '2026-03-29T11:00Z', null);
                insert into research.device select '00000000-0000-4000-8000-0000000000e1', gen_random_uuid(),
                  '2026-03-28T10:00Z', '2026-03-28T11:00Z', '{}' from generate_series(1, 3);
                insert into research.amendment (enrolment_id, amendment_id, subject, subject_id, kind, made_at, received_at,
                  body, body_sha256, state)
                select '00000000-0000-4000-8000-0000000000e1', gen_random_uuid(), 'walk', gen_random_uuid(), 'deletion',
                  '2026-03-28T10:00Z', '2026-03-28T11:00Z', '{}', '', 'waiting' from generate_series(1, 4);
                insert into research.quarantine values ('00000000-0000-4000-8000-0000000000e1', 'walk',
                  '00000000-0000-4000-8000-0000000000c3', '\\x0a', '{}', '2026-03-28T11:00:02Z');
                insert into research.reminder_snooze values ('00000000-0000-4000-8000-0000000000e1',
                  '00000000-0000-8000-8000-0000000000a1', 1, '2026-03-28T16:05Z', '2026-03-28T17:00Z');
                update research.answer_sheet set timings = '{"feel": 1200}'
                """)
            let estimate = try await garden.export.read { transaction in
                let snapshot = try await DatasetSnapshot.open(
                    "garden", profile: .full, filters: DatasetFilters(), secret: nil, now: Garden.now,
                    in: transaction)
                return try await snapshot.estimate(
                    Tables.all(snapshot.definitions, .full), in: transaction)
            }
            try await garden.dataset(profile: .full) { folder, _ in
                for table in [
                    "consents", "followed_versions", "zones", "pauses", "events", "arm_changes", "devices",
                    "edits",
                    "conflicts", "snoozes",
                ] {
                    let rows = try Array(TableRows("\(folder)/data/\(table).csv")).count
                    #expect(rows > 0, "\(table)")
                    #expect(estimate.rows[table] == rows, "\(table)")
                }
                #expect(estimate.rows["timings"] ?? 0 > 0)
            }
        }
    }

    @Test func `a study without such records expects no rows`() async throws {
        try await Garden.with { garden in
            let estimate = try await garden.export.read { transaction in
                let snapshot = try await DatasetSnapshot.open(
                    "garden", profile: .full, filters: DatasetFilters(), secret: nil, now: Garden.now,
                    in: transaction)
                return try await snapshot.estimate(
                    Tables.all(snapshot.definitions, .full), in: transaction)
            }
            for table in ["pauses", "events", "devices", "edits", "timings"] {
                #expect(estimate.rows[table] == 0)
            }
        }
    }
}
