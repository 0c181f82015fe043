import SaunterCore

/// Why no dataset was made.
package enum DatasetFault: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownStudy(String)
    case unknownQuestionnaire(String, known: [String])
    case unknownArm(String, known: [String])
    case unknownTable(String, known: [String])
    /// A published version cannot be read any more.
    case unreadableVersion(String, faults: [String])
    /// Sheets that do not fit any published version: the database was changed by another hand.
    case damaged([String])
    /// The folder holds something already.
    case directoryInUse(String)
    /// The file stands there already.
    case fileInUse(String)
    case zip(String)
    /// A form of a table could not be made: the table's path, and what the library says.
    case format(String, String)
    /// A profile with pseudonyms of its own needs a secret that the database does not hold.
    case noSecret(DatasetProfile)
    /// The last date lies before the first.
    case reversedDates(from: LocalDate, to: LocalDate)
    /// Counts of a part, beside those of the whole, would tell of few people.
    case filteredProfile(DatasetProfile)

    package var description: String {
        switch self {
        case .unknownStudy(let code): "there is no study \"\(code.prefix(60))\""
        case .unknownQuestionnaire(let code, let known):
            "the study has no questionnaire \"\(code.prefix(60))\"; it has \(known.joined(separator: ", "))"
        case .unknownArm(let code, let known):
            "the study has no arm \"\(code.prefix(60))\"; it has \(known.joined(separator: ", "))"
        case .unknownTable(let name, let known):
            "the dataset has no table \"\(name.prefix(60))\"; it has \(known.joined(separator: ", "))"
        case .unreadableVersion(let version, let faults):
            "the published version \(version) cannot be read:\n" + faults.joined(separator: "\n")
        case .damaged(let lines):
            "stored sheets do not fit their questionnaire:\n" + lines.joined(separator: "\n")
        case .directoryInUse(let path): "\(path) is not empty; name a new folder"
        case .fileInUse(let path): "\(path) is there already; name a new folder"
        case .zip(let reason): "the zip could not be written: \(reason)"
        case .format(let path, let reason): "another form of \(path) could not be written: \(reason)"
        case .noSecret(let profile): "the profile \(profile.rawValue) needs the server's master key"
        case .reversedDates(let from, let to): "the last date, \(to), lies before the first, \(from)"
        case .filteredProfile(let profile):
            "the profile \(profile.rawValue) takes no dates and no arms: two parts could be subtracted from each other"
        }
    }

    /// Whether the caller asked for something that does not exist, rather than the work failing.
    package var isWrongUsage: Bool {
        switch self {
        case .unknownStudy, .unknownQuestionnaire, .unknownArm, .unknownTable, .directoryInUse, .fileInUse,
            .noSecret, .reversedDates, .filteredProfile:
            true
        case .unreadableVersion, .damaged, .zip, .format: false
        }
    }
}
