import Foundation
import Postgres
import SaunterCore
import SaunterPacks
import SaunterTesting

@testable import SaunterEvaluation

/// A database with the study of `Fixtures/garden.sql`: two versions, three days, and at least one record of every kind.
struct Garden {
    /// The current time in the tests.
    static let now = Instant(milliseconds: 1_774_893_600_000)

    let database: TestDatabase
    let export: Pool
    let research: Pool

    /// Runs a test with a private database.
    static func with(_ test: (Garden) async throws -> Void) async throws {
        let garden = try await Garden()
        do {
            try await test(garden)
        } catch {
            await garden.close()
            try await garden.database.drop()
            throw error
        }
        await garden.close()
        try await garden.database.drop()
    }

    /// The database that each test copies. It is made once per process.
    private static let template = Task {
        let template = try await TestCluster.makeTemplate()
        let owner = try await Connection.connect(to: try ConnectionString(template.connectionString))
        for file in try FileManager.default.contentsOfDirectory(atPath: root + "/sql/migrations").sorted() {
            try await owner.execute(
                script: String(contentsOfFile: root + "/sql/migrations/" + file, encoding: .utf8))
        }
        try await Garden.publish(pack("garden-1"), version: "1.0.0", at: "2026-03-01T00:00:00Z", on: owner)
        try await Garden.publish(pack("garden-2"), version: "2.0.0", at: "2026-03-02T00:00:00Z", on: owner)
        try await owner.execute(
            script: "insert into research.study values ('garden', '2.0.0', null), ('meadow', '1.0.0', null)")
        try await owner.execute(
            script:
                "insert into research.study_version values ('meadow', '1.0.0', '', '{}', '2026-03-01T00:00:00Z')"
        )
        try await owner.execute(
            script: String(contentsOfFile: fixtures + "/garden.sql", encoding: .utf8))
        await owner.close()
        return template.name
    }

    private init() async throws {
        database = try await TestCluster.makeDatabase(template: await Self.template.value)
        let string = try ConnectionString(database.connectionString)
        export = Pool(connectionString: string, size: 2, role: "saunter_export", name: "export")
        research = Pool(connectionString: string, size: 2, role: "saunter_research", name: "research")
    }

    private func close() async {
        await export.close()
        await research.close()
    }

    /// Runs an SQL script as the owner of the database.
    func change(_ script: String) async throws {
        let owner = try await Connection.connect(to: try ConnectionString(database.connectionString))
        try await owner.execute(script: script)
        await owner.close()
    }

    /// The single value of a query, run as the owner of the database.
    func valueAsOwner(_ sql: String) async throws -> String {
        let owner = try await Connection.connect(to: try ConnectionString(database.connectionString))
        let value = try await owner.query(Statement(name: "test", sql: "select (\(sql))::text as value"))
            .one()
            .get("value", as: String.self)
        await owner.close()
        return value
    }

    /// The single value of a query on research data.
    func value(_ sql: String) async throws -> String {
        try await research.query(Statement(name: "test", sql: "select (\(sql))::text as value")).one().get(
            "value")
    }

    /// Publishes another version and makes it the live version.
    func publish(_ pack: PackFiles, version: String, at moment: String) async throws {
        let owner = try await Connection.connect(to: try ConnectionString(database.connectionString))
        try await Self.publish(pack, version: version, at: moment, on: owner)
        try await owner.execute(
            script: "update research.study set live_version = '\(version)' where study = 'garden'")
        await owner.close()
    }

    /// Writes the dataset into a new folder and removes the folder after the block.
    func dataset<Value>(
        profile: DatasetProfile = .coded, filters: DatasetFilters = DatasetFilters(),
        formats: Set<DatasetFormat> = [], now: Instant = Garden.now, asOf: Instant? = nil,
        isBlinded: Bool = false,
        secret: [UInt8] = Array("rain".utf8),
        _ body: (String, DatasetManifest) async throws -> Value
    ) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "garden-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let manifest = try await DatasetWriter(pool: export, secret: { Array($0.utf8) + secret }).write(
            DatasetRequest(
                study: "garden", profile: profile, filters: filters, formats: formats, asOf: asOf,
                isBlinded: isBlinded),
            to: folder, now: now)
        return try await body(folder, manifest)
    }

    static func pack(_ name: String) throws -> PackFiles {
        try PackFiles.load(directory: "\(fixtures)/\(name)/studies/garden")
    }

    private static func publish(_ pack: PackFiles, version: String, at: String, on owner: Connection)
        async throws
    {
        _ = try StudyPack.read(pack, study: "garden")
        let files = JSON.object(
            JSONObject(
                pack.files.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) }))
        _ = try await owner.query(
            Statement(
                name: "publish",
                sql:
                    "insert into research.study_version values ('garden', $1, $2, $3::jsonb, $4::text::timestamptz)"
            ),
            [.text(version), .text(pack.digest), .jsonb(files.text), .text(at)])
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
    static let fixtures = folder + "/Fixtures"
    static let root = URL(filePath: folder).deletingLastPathComponent()
        .deletingLastPathComponent().path
}

extension String {
    /// Whether the text contains a participant's name in the study. A pseudonym of a release may begin with the same
    /// characters, and has more hexadecimal digits.
    var containsGardenPseudonym: Bool {
        ["P001", "P002"].contains { name in
            ranges(of: name).contains { range in
                range.upperBound == endIndex || !self[range.upperBound].isHexDigit
            }
        }
    }
}
