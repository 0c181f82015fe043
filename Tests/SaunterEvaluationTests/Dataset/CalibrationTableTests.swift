import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct CalibrationTableTests {
    @Test func `a calibration dated in the far future holds from its arrival until the next one`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.change(
                """
                update research.calibration set recorded_at = '9999-12-31T23:59:59Z'
                where calibration_id = '00000000-0000-4000-8000-0000000000ca'
                """)

            try await garden.dataset { folder, _ in
                let rows = try TableRows(folder + "/data/calibrations.csv").map { $0 }
                #expect(rows.map { $0["calibration_id"]?.suffix(2) } == ["ca", "cb"])
                #expect(
                    rows.map { $0["recorded_at"] } == [
                        "2026-03-28T11:30:01.000Z", "2026-03-29T11:30:00.000Z",
                    ])
                #expect(rows.map { $0["holds_until_at"] } == ["2026-03-29T11:30:00.000Z", ""])
            }
        }
    }
}
