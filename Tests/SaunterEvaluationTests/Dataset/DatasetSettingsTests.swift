import Postgres
import Testing

@testable import SaunterEvaluation

@Suite struct DatasetSettingsTests {
    @Test func `a command contains settings as literals, but never the keys of a release`() async throws {
        try await Garden.with { garden in
            try await garden.export.read { transaction in
                let filters = DatasetFilters(arms: ["plants", "stones"])
                _ = try await DatasetSnapshot.open(
                    "garden", profile: .deidentified, filters: filters, secret: { Array($0.utf8) },
                    now: Garden.now, in: transaction)
                try await DatasetSnapshot.set("instrument", "o'clock", in: transaction)
                let settings = try await DatasetSettings.read(in: transaction)

                let command = settings.written(
                    into: """
                        a = current_setting('saunter.arms') and b = current_setting('saunter.instrument')
                        and c = current_setting('saunter.release_inner') and d = 'current_setting(''saunter.arms'')'
                        """)

                #expect(
                    command == """
                        a = 'plants,stones' and b = 'o''clock'
                        and c = current_setting('saunter.release_inner') and d = 'current_setting(''saunter.arms'')'
                        """)
            }
        }
    }
}
