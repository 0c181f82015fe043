import SaunterCore

/// The reason why no dataset was written.
package enum DatasetFault: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownStudy(String)
    case unknownQuestionnaire(String, known: [String])
    case unknownArm(String, known: [String])
    case unknownLanguage(String, known: [String])
    case unknownTable(String, known: [String])
    /// A published version of the study cannot be parsed any more.
    case unreadableVersion(String, faults: [String])
    /// Stored answer sheets cannot be read, one line per reason. Something other than Saunter changed the database.
    case damaged([String])
    /// The destination folder is not empty.
    case directoryInUse(String)
    /// The destination file already exists.
    case fileInUse(String)
    /// An archive or a compressed file could not be written: the message of the library.
    case zip(String)
    /// A derived format of a table could not be written: the path of the table, and the message of the library.
    case format(String, String)
    /// The profile creates new pseudonyms, or the dataset is blinded. Both need a secret, which is not in the database.
    case noSecret(DatasetProfile)
    /// The last date is before the first date.
    case reversedDates(from: LocalDate, to: LocalDate)
    /// The profile `public` shows no earlier states: the difference between two instants would reveal small groups.
    case pastProfile(DatasetProfile)
    /// The instant that the dataset should show is in the future.
    case futureInstant(Instant)
    /// No version of the study had been published by the instant that the dataset should show.
    case unpublishedStudy(String, at: Instant)
    /// The profile `public` allows no filters: the difference between two filtered exports would reveal small groups.
    case filteredProfile(DatasetProfile)
    /// The questionnaire has more sheets than the server reads into its memory.
    case tooManySheets(Int, questionnaire: String, maximum: Int)

    /// One line for the researcher.
    package var description: String {
        switch self {
        case .unknownStudy(let code): "there is no study \"\(code.prefix(60))\""
        case .unknownQuestionnaire(let code, let known):
            "the study has no questionnaire \"\(code.prefix(60))\"; it has \(known.joined(separator: ", "))"
        case .unknownLanguage(let code, let known):
            "the study has no language \"\(code.prefix(60))\"; it has \(known.joined(separator: ", "))"
        case .unknownArm(let code, let known):
            "the study has no arm \"\(code.prefix(60))\"; it has \(known.joined(separator: ", "))"
        case .unknownTable(let name, let known):
            "the dataset has no table \"\(name.prefix(60))\"; it has \(known.joined(separator: ", "))"
        case .unreadableVersion(let version, let faults):
            "the published version \(version) cannot be read:\n" + faults.joined(separator: "\n")
        case .damaged(let lines):
            "stored sheets cannot be read:\n" + lines.joined(separator: "\n")
        case .directoryInUse(let path): "\(path) is not empty; name a new or empty folder"
        case .fileInUse(let path): "\(path) already exists; name a new file or folder"
        case .zip(let reason): "the archive could not be written: \(reason)"
        case .format(let path, let reason): "a derived format of \(path) could not be written: \(reason)"
        case .noSecret(let profile): "the profile \(profile.rawValue) needs the server's master key"
        case .reversedDates(let from, let to): "the last date, \(to), is before the first date, \(from)"
        case .pastProfile(let profile):
            "the profile \(profile.rawValue) shows no earlier state: the difference between two instants would reveal small groups"
        case .futureInstant(let instant): "the instant \(instant) is in the future"
        case .unpublishedStudy(let code, let instant):
            "there is no study \"\(code.prefix(60))\" that had been published by \(instant)"
        case .filteredProfile(let profile):
            "the profile \(profile.rawValue) accepts no filters by date or arm: the difference between two exports would reveal small groups"
        case .tooManySheets(let count, let code, let maximum):
            "the questionnaire \(code) has \(count) sheets, and the server computes statistics of at most \(maximum); an operator can run evaluator report --questionnaire \(code)"
        }
    }

    /// Whether the options contradict each other. False if the fault depends on files or on the database.
    package var isWrongUsage: Bool {
        switch self {
        case .reversedDates, .filteredProfile, .pastProfile, .futureInstant: true
        case .unpublishedStudy, .unknownStudy, .unknownQuestionnaire, .unknownArm, .unknownLanguage,
            .unknownTable,
            .directoryInUse, .fileInUse, .noSecret, .unreadableVersion, .damaged, .zip, .format,
            .tooManySheets:
            false
        }
    }
}
