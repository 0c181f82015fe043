import Console
import SaunterCore
import SaunterPacks

/// Reads the instrument whose scoring key scores a table.
enum ScoredInstrument {
    /// - Parameter path: the folder of one version of an instrument.
    /// - Throws: `CommandFault` if the path is not such a folder, or if the instrument has no scoring key.
    static func read(at path: String) throws -> Questionnaire {
        guard let location = PackLocation(directory: path),
            case .instrument(let code, let version) = location.kind
        else {
            throw CommandFault(
                "\(path) is not the folder of one version of an instrument (…/instruments/<code>/<version>)")
        }
        let pack = try InstrumentPack.read(PackFiles.load(directory: path), code: code, version: version)
        guard pack.questionnaire.scoring != nil else {
            throw CommandFault("\(code) \(version) has no scoring key")
        }
        return pack.questionnaire
    }
}
