import Foundation

/// Why a secret cannot be read from the environment.
package struct SecretFileFault: Error, Hashable, CustomStringConvertible {
    /// One line for the operator that names the variable. It does not contain the secret.
    package let description: String
}

/// A file that contains one secret of the environment: instead of `SAUNTER_DATABASE_URL`, the variable
/// `SAUNTER_DATABASE_URL_FILE` names a file with the value. All programs read secrets in this way.
package enum SecretFile {
    private static let maximumBytes = 65_536

    /// The content of the file that `<variable>_FILE` names, without trailing line breaks. Nil if that variable is not
    /// set or empty.
    /// - Throws: `SecretFileFault` if the variable itself is set too, or if the file is empty, cannot be read, or is
    ///   not UTF-8 text of at most 64 KiB.
    package static func read(
        for variable: String, in environment: [String: String]
    ) throws(SecretFileFault) -> String? {
        let fileVariable = "\(variable)_FILE"
        guard let path = environment[fileVariable], !path.isEmpty else { return nil }
        guard environment[variable, default: ""].isEmpty else {
            throw SecretFileFault(description: "set \(variable) or \(fileVariable), not both")
        }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw SecretFileFault(description: "\(fileVariable): \(path) cannot be read")
        }
        guard data.count <= maximumBytes, let text = String(validating: data, as: UTF8.self) else {
            throw SecretFileFault(
                description: "\(fileVariable): \(path) is not UTF-8 text of at most 64 KiB")
        }
        let trimmed = String(text.reversed().drop(while: \.isNewline).reversed())
        guard !trimmed.isEmpty else {
            throw SecretFileFault(description: "\(fileVariable): \(path) is empty")
        }
        return trimmed
    }
}
