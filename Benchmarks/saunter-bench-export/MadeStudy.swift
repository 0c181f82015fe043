import Foundation
import Logging
import Postgres
import SaunterCore
import SaunterPacks
import SaunterStore
import SaunterTesting

/// A study of 40 items in a separate database. It grows day by day.
struct MadeStudy {
    static let code = "bench"
    static let firstDay = 20_454  // 2026-01-01

    let database: TestDatabase
    let owner: Connection
    let people: Int
    private(set) var days = 0
    private let statements: [String: Statement]

    init(people: Int) async throws {
        self.people = people
        statements = try Statement.parse(
            file: String(decoding: PackageResources.made_study_sql, as: UTF8.self))
        database = try await TestCluster.makeDatabase()
        let string = try ConnectionString(database.connectionString)
        try await Migrations.apply(
            to: string, logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
        owner = try await Connection.connect(to: string)
        try await run("quick_load")
        try await run("make_samples")
        let pack = Self.pack
        _ = try StudyPack.read(pack, study: Self.code)
        let files = JSONObject(
            pack.files.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) })
        try await run(
            "make_study",
            [
                "study": .text(Self.code), "version": .text("1.0.0"), "digest": .text(pack.digest),
                "files": .jsonb(JSON.object(files).text),
            ])
        try await run("make_enrolments", ["study": .text(Self.code), "count": .int4(Int32(people))])
    }

    /// - Parameter isAlone: PostgreSQL uses no parallel workers.
    func pool(isAlone: Bool) throws -> Pool {
        let string = try ConnectionString(database.connectionString)
        return Pool(
            connectionString: isAlone
                ? try string.setting("options", to: "-c max_parallel_workers_per_gather=0") : string,
            size: 1, role: "saunter_export", name: "export", statementTimeout: nil)
    }

    /// Adds days until there are `count` sheets, one per participant and day.
    mutating func grow(to sheets: Int) async throws {
        let wanted = max(1, sheets / people)
        guard wanted > days else { return }
        for statement in ["make_occasions", "make_sheets"] {
            try await run(statement, ["first_day": .int4(Int32(days)), "last_day": .int4(Int32(wanted - 1))])
        }
        days = wanted
        try await owner.execute(script: "vacuum analyze")
    }

    @discardableResult
    func run(_ name: String, _ parameters: Arguments = []) async throws -> Rows {
        guard let statement = statements[name] else { throw TestingFault("no statement \(name)") }
        return try await owner.query(statement, parameters)
    }

    func close() async throws {
        await owner.close()
        try await database.drop()
    }

    private static var pack: PackFiles {
        let items = (1...40).map { ($0 < 10 ? "q0" : "q") + String($0) }
        let study = "studies/\(code)/"
        let instrument = "instruments/forty/1.0.0/"
        return PackFiles(files: [
            study + "study.yaml": """
            code: \(code)
            version: 1.0.0
            consent_version: 1.0.0
            open_enrolment: true
            languages: [en]
            zone: Europe/Berlin
            days: 1000
            arms:
              - {code: plants, ratio: 1}
            allocation: {block_sizes: [1], concealed: true}
            questionnaires:
              - {code: forty, version: 1.0.0}

            """,
            study + "schedule.yaml": """
            schedules:
              - id: daily
                questionnaire: forty
                recurrence: {every: {days: 1, until_day: 999}}
                slots:
                  - {open: "17:00", due_after: 3h, close_after: 5h}

            """,
            study + "README.md": "# Bench\n",
            study + "content/course.en.yaml": "steps:\n  - {title: Days, text: Answer each evening.}\n",
            study + "content/consent.en.md": "You take part of your own will.\n",
            study + "content/text.en.yaml": """
            title: Bench
            summary: Many sheets.
            arms:
              plants: {title: Plants, text: Look at plants.}
            reminder:
              subject: Something is waiting
              body: Hello {{name}}.

            """,
            instrument + "questionnaire.yaml": """
            code: forty
            version: 1.0.0
            languages: [en]
            minutes: 3
            edit: {correctWithin: 24h, deleteWithin: 24h}
            item:
            \(items.map { "  - {linkId: \($0), type: choice, answerOption: [0, 1, 2, 3, 4]}" }.joined(separator: "\n"))

            """,
            instrument + "SOURCE.md": "# Source\n",
            instrument + "text.en.yaml": """
            title: Forty
            items:
            \(items.map { "  \($0): How was \($0)?" }.joined(separator: "\n"))
            options:
            \(items.map { "  \($0): {0: none, 1: little, 2: some, 3: much, 4: all}" }.joined(separator: "\n"))

            """,
        ])
    }
}
