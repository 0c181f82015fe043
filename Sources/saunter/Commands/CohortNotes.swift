import Foundation
import SaunterCore

/// What a cohort follows from. Kept, so that one that was interrupted can be completed, and its password
/// shown again.
struct CohortPlan {
    let participants: Int
    let days: Int
    let seed: UInt64
    let until: Instant
    let password: String
}

/// The file in the data directory that remembers the cohort of a study; readable by its owner alone.
struct CohortNotes {
    private let path: String

    init(dataDirectory: String, study: String) {
        path = "\(dataDirectory)/cohort-\(study).json"
    }

    /// Nil when no cohort was begun.
    func read() throws -> (plan: CohortPlan, isDone: Bool)? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path),
            let json = try? JSONReader.read(Array(data)),
            let participants = json["participants"]?.int, let days = json["days"]?.int,
            let seed = json["seed"]?.string.flatMap({ UInt64($0) }),
            let until = json["until"]?.string.flatMap({ Instant($0) }),
            let password = json["password"]?.string
        else { throw CommandFault("\(path) cannot be read: remove it, and the cohort's accounts with it") }
        let plan = CohortPlan(
            participants: participants, days: days, seed: seed, until: until, password: password)
        return (plan, json["done"]?.bool ?? false)
    }

    func write(_ plan: CohortPlan, isDone: Bool) throws {
        let json: JSON = [
            "participants": .int(plan.participants), "days": .int(plan.days), "seed": .string("\(plan.seed)"),
            "until": .string(plan.until.description), "password": .string(plan.password),
            "done": .bool(isDone),
        ]
        let beside = "\(path).new"
        guard
            FileManager.default.createFile(
                atPath: beside, contents: Data(json.bytes), attributes: [.posixPermissions: 0o600]),
            rename(beside, path) == 0
        else { throw CommandFault("\(path) cannot be written") }
    }
}
