import Foundation
import Logging
import Postgres
import SaunterCore
import SaunterStore
import SaunterTesting

/// Measures `saunter publish --preview`.
enum PreviewCost {
    static func run(enrolments: Int) async throws {
        guard let now = Instant("2026-04-02T19:00:00Z") else { return }
        let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        let database = try await TestCluster.makeDatabase()
        let url = try ConnectionString(database.connectionString)
        try await Migrations.apply(to: url, logger: logger)
        var population = try Population(url, logger: logger)
        let store = Store(
            url, secrets: StoreSecrets(master: Array(repeating: 7, count: 32)), connections: 4, logger: logger
        )
        try await population.grow(to: enrolments)
        var study = EngineCost.study
        study.version = "1.1.0"
        let clock = ContinuousClock()
        let begun = clock.now
        let effect = try await store.previewEffect(
            of: study, loadVersion: { _ in EngineCost.study }, now: now)
        let seconds = (clock.now - begun) / .seconds(1)
        print(
            "preview of \(effect.enrolments) enrolments, \(effect.total.added) occasions added: "
                + "\(String(format: "%.1f", seconds)) s")
        await store.close()
        await population.close()
        try await database.drop()
    }
}
