/// Why no dataset was made.
package enum DatasetFault: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownStudy(String)
    case unknownQuestionnaire(String, known: [String])
    case unknownArm(String, known: [String])
    /// A published version cannot be read any more.
    case unreadableVersion(String, faults: [String])
    /// Sheets that do not fit any published version: the database was changed by another hand.
    case damaged([String])
    /// The folder holds something already.
    case directoryInUse(String)
    /// The file stands there already.
    case fileInUse(String)
    case zip(String)

    package var description: String {
        switch self {
        case .unknownStudy(let code): "there is no study \"\(code.prefix(60))\""
        case .unknownQuestionnaire(let code, let known):
            "the study has no questionnaire \"\(code.prefix(60))\"; it has \(known.joined(separator: ", "))"
        case .unknownArm(let code, let known):
            "the study has no arm \"\(code.prefix(60))\"; it has \(known.joined(separator: ", "))"
        case .unreadableVersion(let version, let faults):
            "the published version \(version) cannot be read:\n" + faults.joined(separator: "\n")
        case .damaged(let lines):
            "stored sheets do not fit their questionnaire:\n" + lines.joined(separator: "\n")
        case .directoryInUse(let path): "\(path) is not empty; name a new folder"
        case .fileInUse(let path): "\(path) is there already; name a new folder"
        case .zip(let reason): "the zip could not be written: \(reason)"
        }
    }

    /// Whether the caller asked for something that does not exist, rather than the work failing.
    package var isWrongUsage: Bool {
        switch self {
        case .unknownStudy, .unknownQuestionnaire, .unknownArm, .directoryInUse, .fileInUse: true
        case .unreadableVersion, .damaged, .zip: false
        }
    }
}
