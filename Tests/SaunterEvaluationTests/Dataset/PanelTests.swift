import Foundation
import Postgres
import Testing

@testable import SaunterEvaluation

@Suite struct PanelTests {
    @Test func `the panel has one row per planned occasion, with answers and scores under unique names`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let panel = try TableRows(folder + "/data/panel.csv").map { $0 }
                let occasions = try TableRows(folder + "/data/occasions.csv").map { $0 }
                let wide = try TableRows(folder + "/data/wide_mood.csv").map { $0 }
                let scores = try TableRows(folder + "/data/scores.csv").map { $0 }
                #expect(panel.count == occasions.count)
                for (row, occasion) in zip(panel, occasions) {
                    for name in ["occasion_id", "arm", "study_day", "weekday", "status", "opens_local"] {
                        #expect(row[name] == occasion[name], "\(name)")
                    }
                    let sheet = wide.first { $0["sheet_id"] == row["answered_by"] }
                    #expect((row["answered_by"] == "") == (sheet == nil))
                    #expect(row["version"] == sheet?["version"] ?? "")
                    for (name, value) in row where name.hasPrefix("mood_") {
                        let item = String(name.dropFirst("mood_".count))
                        let score = scores.first {
                            $0["sheet_id"] == row["answered_by"] && $0["score"] == item
                        }
                        if let score {
                            #expect(Double(value) == Double(score["value"] ?? ""), "\(name)")
                        } else if let cell = sheet?[item] {
                            #expect(value == cell, "\(name)")
                        }
                    }
                }
                #expect(panel.contains { $0["answered_by"] != "" && $0["duration_s"] == "60" })
                #expect(panel.contains { $0["answered_by"] == "" })
            }
        }
    }

    @Test func `at most one sheet of an occasion counts, also if another came before its window opened`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.change(
                """
                insert into research.answer_sheet select (jsonb_populate_record(sheet, jsonb_build_object(
                  'sheet_id', made.id, 'completes', false, 'standing', 'early', 'occasion_id', made.occasion,
                  'completed_at', sheet.completed_at - made.before, 'flags', '[]'::jsonb))).*
                from research.answer_sheet sheet
                cross join (values
                  ('00000000-0000-4000-8000-0000000000f1'::uuid, '00000000-0000-8000-8000-0000000000a2'::uuid, interval '5 hours'),
                  ('00000000-0000-4000-8000-0000000000f2', '00000000-0000-8000-8000-0000000000a3', interval '5 hours'),
                  ('00000000-0000-4000-8000-0000000000f3', '00000000-0000-8000-8000-0000000000a3', interval '6 hours')
                ) as made (id, occasion, before)
                where sheet.sheet_id = '00000000-0000-4000-8000-0000000000c3'
                """)
            try await garden.dataset { folder, _ in
                let sheets = try TableRows(folder + "/data/sheets.csv").map { $0 }
                let counts = Dictionary(
                    uniqueKeysWithValues: sheets.map {
                        (String(($0["sheet_id"] ?? "").suffix(2)), $0["counts"])
                    })
                // c3 fulfils the occasion of f1. No sheet fulfils that of f2 and f3, and f2 was completed later.
                #expect(counts["c3"] == "1")
                #expect(counts["f1"] == "0")
                #expect(counts["f2"] == "1")
                #expect(counts["f3"] == "0")
                let panel = try TableRows(folder + "/data/panel.csv").map { $0 }
                #expect(Set(panel.map { $0["occasion_id"] }).count == panel.count)
                let early = panel.first { ($0["answered_by"] ?? "").hasSuffix("f2") }
                #expect(early?["standing"] == "early")
                let counted = Set(sheets.filter { $0["counts"] == "1" }.map { $0["sheet_id"] })
                let scored = try TableRows(folder + "/data/scores.csv").map { $0["sheet_id"] }
                #expect(Set(scored).isSubset(of: counted))
            }
        }
    }

    @Test func `timings, devices, consents, events, phases, pauses and edits are in the dataset`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.change(
                """
                update research.answer_sheet set timings = '{"mood": 1200, "why": 30}',
                  device = '{"model": "Phone 9", "app_version": "2.1.0"}'
                where sheet_id = '00000000-0000-4000-8000-0000000000c3';
                insert into research.enrolment_consent values ('00000000-0000-4000-8000-0000000000e1', '9.0.0',
                  '2026-03-28T10:00:00Z', '1.0.0', 'de', 'digest');
                insert into research.enrolment_version values ('00000000-0000-4000-8000-0000000000e1', '9.9.9',
                  '2026-03-28T10:00:00Z') on conflict do nothing;
                insert into research.enrolment_event values ('00000000-0000-4000-8000-0000000000e1', 'harvest', 1,
                  '2026-03-28T23:30:00Z', '2026-03-28T23:31:00Z');
                insert into research.enrolment_pause values ('00000000-0000-4000-8000-0000000000e1',
                  '2026-03-28T11:00:00Z', '2026-03-28T12:00:00Z');
                insert into research.device values ('00000000-0000-4000-8000-0000000000e1',
                  '00000000-0000-4000-8000-0000000000d9', '2026-03-28T10:00:00Z', '2026-03-28T11:00:00Z', '{[1,4),[6,7)}');
                insert into research.amendment values ('00000000-0000-4000-8000-0000000000e1',
                  '00000000-0000-4000-8000-0000000000a9', 'answer_sheet', '00000000-0000-4000-8000-0000000000c3',
                  'correction', '2026-03-28T11:00:00Z', '2026-03-28T11:00:01Z', '{"answers": {"mood": 1}}', '\\x09',
                  'refused', '{"slug": "too-late"}', null, null, null, null);
                insert into research.quarantine values ('00000000-0000-4000-8000-0000000000e1', 'answer_sheet',
                  '00000000-0000-4000-8000-0000000000c3', '\\x0a', '{"answers": {"mood": 2}}', '2026-03-28T11:00:02Z');
                """)
            try await garden.dataset(profile: .full) { folder, _ in
                func rows(_ table: String) throws -> [[String: String]] {
                    try TableRows(folder + "/data/\(table).csv").map { $0 }
                }
                let timings = try rows("timings")
                #expect(
                    timings.map { "\($0["item"] ?? "") \($0["duration_ms"] ?? "")" } == [
                        "mood 1200", "why 30",
                    ])
                let sheet = try rows("sheets").first { ($0["sheet_id"] ?? "").hasSuffix("c3") }
                #expect(sheet?["device_model"] == "Phone 9")
                #expect(sheet?["app_version"] == "2.1.0")
                #expect(try rows("sheet_devices").count == 1)
                #expect(try rows("consents").contains { $0["consent_version"] == "9.0.0" })
                #expect(try rows("followed_versions").contains { $0["study_version"] == "9.9.9" })
                let event = try #require(try rows("events").first { $0["event"] == "harvest" })
                // 0:30 in Berlin on the next day.
                #expect(event["occurred_local"] == "2026-03-29T00:30:00.000")
                #expect(event["in_force"] == "1")
                #expect(event["weekday"] == "7")
                #expect(try rows("pauses").map { $0["to_at"] } == ["2026-03-28T12:00:00.000Z"])
                let device = try #require(
                    try rows("devices").first { ($0["device_id"] ?? "").hasSuffix("d9") })
                #expect(device["records"] == "4")
                let edit = try #require(try rows("edits").first { ($0["edit_id"] ?? "").hasSuffix("a9") })
                #expect(edit["state"] == "refused")
                #expect(edit["body"] == "{\"answers\": {\"mood\": 1}}")
                #expect(try rows("conflicts").map { $0["body"] } == ["{\"answers\": {\"mood\": 2}}"])
                let study = folder + "/meta/study/2.0.0"
                #expect(FileManager.default.fileExists(atPath: study))
                #expect(
                    try FileManager.default.subpathsOfDirectory(atPath: study).contains {
                        $0.hasSuffix("study.yaml")
                    })
            }
            try await garden.dataset { folder, manifest in
                #expect(!manifest.files.contains { $0.path == "data/conflicts.csv" })
                let edits = try TableRows(folder + "/data/edits.csv").map { $0 }
                #expect(edits.count == 1 && edits[0]["body"] == nil)
            }
        }
    }
}
