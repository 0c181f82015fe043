import ArgumentParser
import Foundation
import SaunterStore

/// The server's master key. The pseudonyms and shifted dates of deidentified datasets and the letters of blinded
/// reports are derived from it, so the database alone does not reveal them.
struct MasterKeyOption: ParsableArguments {
    @Option(
        help:
            "The server's master key, for the profile deidentified and for blinded reports. Default: SAUNTER_MASTER_KEY_FILE, otherwise the key of the data directory."
    )
    var masterKeyFile: String?

    /// Returns a function that derives the key of a study from the server's master key, so that the server and this
    /// command produce the same pseudonyms and shifted dates.
    /// - Throws: `UsageFault` if the master key cannot be read.
    func releaseSecret() throws -> @Sendable (_ study: String) -> [UInt8] {
        let environment = ProcessInfo.processInfo.environment
        // As in the settings of the server, an empty variable is not set.
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let path =
            masterKeyFile ?? value("SAUNTER_MASTER_KEY_FILE")
            ?? "\(value("SAUNTER_DATA_DIR") ?? "./.saunter")/keys/master.key"
        do {
            let secrets = StoreSecrets(master: try MasterKey.load(from: path))
            return { secrets.releaseSecret($0) }
        } catch let fault {
            throw UsageFault(fault.description)
        }
    }
}
