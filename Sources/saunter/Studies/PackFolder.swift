import Console
import SaunterCore
import SaunterPacks

/// Reads packs from the folder that a command line names.
enum PackFolder {
    /// The code of the study in a folder `studies/<code>`.
    /// - Throws: `CommandFault` if the path is not the folder of a study.
    static func studyCode(at path: String) throws -> String {
        guard let location = PackLocation(directory: path), case .study(let code) = location.kind else {
            throw CommandFault("\(path) is not a study's folder (…/studies/<code>)")
        }
        return code
    }

    /// The study in a folder `studies/<code>`.
    /// - Throws: every fault of the pack, or `CommandFault` if the path is not the folder of a study.
    static func study(at path: String) throws -> Study {
        let code = try studyCode(at: path)
        return try StudyPack.read(PackFiles.load(directory: path), study: code).study
    }

    /// The instruments in the folder of one version of an instrument, or of a study.
    static func instruments(at path: String) throws
        -> [(questionnaire: Questionnaire, preserved: PreservedMembers)]
    {
        guard let location = PackLocation(directory: path) else {
            throw CommandFault("\(path) is not a folder instruments/<code>/<version> or studies/<code>")
        }
        let files = try PackFiles.load(directory: path)
        let questionnaires: [Questionnaire]
        switch location.kind {
        case .instrument(let code, let version):
            questionnaires = [try InstrumentPack.read(files, code: code, version: version).questionnaire]
        case .study(let code): questionnaires = try StudyPack.read(files, study: code).study.questionnaires
        }
        return questionnaires.map { ($0, PreservedMembers(files, code: $0.code, version: $0.version)) }
    }
}
