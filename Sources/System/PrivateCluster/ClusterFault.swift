/// An error that makes the private PostgreSQL unavailable. The description is one line for the operator.
///
/// Each description states the cause, and the remedy if there is one. It contains no password and no study data.
package enum ClusterFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// No directory with PostgreSQL's programs was found in the `searched` paths.
    case binariesMissing(searched: [String])
    /// The directory that `SAUNTER_POSTGRES_BIN` names has no usable PostgreSQL.
    case binariesUnusable(directory: String, reason: String)
    /// Another major version wrote the data. `matching` is a directory with programs of that version, if there is one.
    case wrongVersion(directory: String, data: Int, binaries: Int, matching: String?)
    /// The path cannot be used.
    case directoryUnusable(path: String, reason: String)
    /// Another server uses the same data directory.
    case alreadyInUse(directory: String)
    /// Another process starts or stops the cluster, and did not finish before the timeout.
    case busy(directory: String)
    /// There is no account that can run PostgreSQL. For root: no unprivileged account was found or could be created.
    case accountMissing(reason: String)
    /// A program could not be run, or it failed. `output` is the end of its output.
    case programFailed(program: String, reason: String, output: String)
    /// PostgreSQL did not start. `output` is the end of its output.
    case startFailed(directory: String, reason: String, output: String)
    /// PostgreSQL was stopped, but some of its processes still run.
    case stopFailed(directory: String)

    /// One line for the operator, with the remedy if there is one.
    package var description: String {
        switch self {
        case .binariesMissing(let searched):
            """
            PostgreSQL was not found (searched in \(searched.joined(separator: ", "))): install the package \
            postgresql, or set SAUNTER_POSTGRES_BIN to the directory of its programs
            """
        case .binariesUnusable(let directory, let reason):
            "the PostgreSQL programs in \(directory) cannot be used: \(reason)"
        case .wrongVersion(let directory, let data, let binaries, let matching):
            """
            \(directory) contains data of PostgreSQL \(data), but the programs found are PostgreSQL \(binaries): \
            \(matching.map { "set SAUNTER_POSTGRES_BIN=\($0)" } ?? "install postgresql-\(data)") \
            or move the data with pg_upgrade
            """
        case .directoryUnusable(let path, let reason):
            "\(path) cannot be used: \(reason)"
        case .alreadyInUse(let directory):
            "another Saunter server already uses \(directory): stop it first, or choose another data directory"
        case .busy(let directory):
            "another command still starts or stops PostgreSQL in \(directory): try again"
        case .accountMissing(let reason):
            "no account is available to run PostgreSQL, which does not run as root: \(reason)"
        case .programFailed(let program, let reason, let output):
            "\(program) failed: \(reason)\(Self.suffix(output))"
        case .startFailed(let directory, let reason, let output):
            "PostgreSQL in \(directory) did not start: \(reason)\(Self.suffix(output))"
        case .stopFailed(let directory):
            "PostgreSQL in \(directory) was stopped, but some of its processes still run"
        }
    }

    /// The last four lines of a program's output, joined to one line.
    private static func suffix(_ output: String) -> String {
        let lines = output.split(whereSeparator: \.isNewline).map { $0.trimmingSpaces() }.filter {
            !$0.isEmpty
        }
        return lines.isEmpty ? "" : " (\(lines.suffix(4).joined(separator: "; ")))"
    }
}
