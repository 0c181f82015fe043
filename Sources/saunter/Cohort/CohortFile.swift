import Console
import Foundation
import SaunterCore

/// The parameters of a cohort. They are stored so that an interrupted run can be completed and the password can be
/// shown again.
struct CohortParameters {
    let participants: Int
    let days: Int
    let seed: UInt64
    let until: Instant
    let password: String
}

/// The file in the data directory that stores the parameters of a study's cohort. Only its owner can read it.
struct CohortFile {
    private let dataDirectory: String
    private let path: String

    init(dataDirectory: String, study: String) {
        self.dataDirectory = dataDirectory
        path = Self.path(dataDirectory, study)
    }

    private static func path(_ dataDirectory: String, _ study: String) -> String {
        "\(dataDirectory)/cohort-\(study).json"
    }

    /// The password of a cohort of another study in this data directory, which has the same accounts; nil if there is
    /// none.
    func passwordOfOtherStudy() throws -> String? {
        guard FileManager.default.fileExists(atPath: dataDirectory) else { return nil }
        for name in try FileManager.default.contentsOfDirectory(atPath: dataDirectory).sorted() {
            guard let study = name.wholeMatch(of: /cohort-(.+)\.json/)?.output.1 else { continue }
            let other = CohortFile(dataDirectory: dataDirectory, study: String(study))
            guard other.path != path, let known = try other.read() else { continue }
            return known.parameters.password
        }
        return nil
    }

    /// Nil if no cohort was started.
    func read() throws -> (parameters: CohortParameters, isDone: Bool)? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path),
            let json = try? JSONReader.read(Array(data)),
            let participants = json["participants"]?.int, let days = json["days"]?.int,
            let seed = json["seed"]?.string.flatMap({ UInt64($0) }),
            let until = json["until"]?.string.flatMap({ Instant($0) }),
            let password = json["password"]?.string
        else { throw CommandFault("\(path) cannot be read: delete the file and the accounts of the cohort") }
        let parameters = CohortParameters(
            participants: participants, days: days, seed: seed, until: until, password: password)
        return (parameters, json["done"]?.bool ?? false)
    }

    func write(_ parameters: CohortParameters, isDone: Bool) throws {
        let json: JSON = [
            "participants": .int(parameters.participants), "days": .int(parameters.days),
            "seed": .string("\(parameters.seed)"),
            "until": .string(parameters.until.description), "password": .string(parameters.password),
            "done": .bool(isDone),
        ]
        let temporaryPath = "\(path).new"
        guard
            FileManager.default.createFile(
                atPath: temporaryPath, contents: Data(json.bytes), attributes: [.posixPermissions: 0o600]),
            rename(temporaryPath, path) == 0
        else { throw CommandFault("\(path) cannot be written") }
    }
}
