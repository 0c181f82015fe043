/// Why the private PostgreSQL cannot be had, as one line for the person who started the command.
///
/// Each case says what is wrong and what to do about it; none carries a password or data of a study.
package enum ClusterFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// No directory with PostgreSQL's programs was found. `looked` lists where.
    case binariesMissing(looked: [String])
    /// The directory that `SAUNTER_POSTGRES_BIN` names holds no usable PostgreSQL.
    case binariesUnusable(directory: String, reason: String)
    /// The data were written by another major version. `elsewhere` is where programs of theirs were found.
    case wrongVersion(directory: String, data: Int, binaries: Int, elsewhere: String?)
    /// A path that cannot be used, and why.
    case directoryUnusable(path: String, reason: String)
    /// Another server works on the same data directory.
    case alreadyServed(directory: String)
    /// Somebody else is starting or stopping the cluster and did not finish in time.
    case busy(directory: String)
    /// No unprivileged account could be found or made to run PostgreSQL under root.
    case accountMissing(reason: String)
    /// A program could not be run, or ended with a fault. `output` is the last of what it said.
    case programFailed(program: String, reason: String, output: String)
    /// PostgreSQL did not come up. `output` is the last of what it said.
    case startFailed(directory: String, reason: String, output: String)
    /// PostgreSQL was told to end, and some of its processes did not.
    case stopFailed(directory: String)

    package var description: String {
        switch self {
        case .binariesMissing(let looked):
            """
            PostgreSQL was not found (looked in \(looked.joined(separator: ", "))): install the package \
            postgresql, or name its programs' directory in SAUNTER_POSTGRES_BIN
            """
        case .binariesUnusable(let directory, let reason):
            "the PostgreSQL programs in \(directory) cannot be used: \(reason)"
        case .wrongVersion(let directory, let data, let binaries, let elsewhere):
            """
            \(directory) holds data of PostgreSQL \(data), but the programs found are PostgreSQL \(binaries): \
            \(elsewhere.map { "set SAUNTER_POSTGRES_BIN=\($0)" } ?? "install postgresql-\(data)") \
            or move the data with pg_upgrade
            """
        case .directoryUnusable(let path, let reason):
            "\(path) cannot be used: \(reason)"
        case .alreadyServed(let directory):
            "another Saunter server already uses \(directory): stop it first, or choose another data directory"
        case .busy(let directory):
            "PostgreSQL in \(directory) is still being started or stopped by another command: try again"
        case .accountMissing(let reason):
            "PostgreSQL refuses to run as root, and no other account is to be had: \(reason)"
        case .programFailed(let program, let reason, let output):
            "\(program) failed: \(reason)\(Self.suffix(output))"
        case .startFailed(let directory, let reason, let output):
            "PostgreSQL in \(directory) did not start: \(reason)\(Self.suffix(output))"
        case .stopFailed(let directory):
            "PostgreSQL in \(directory) was stopped, but some of its processes do not end"
        }
    }

    /// The output of a program on the same line, so that the fault stays one line.
    private static func suffix(_ output: String) -> String {
        let lines = output.split(whereSeparator: \.isNewline).map { $0.trimmingSpaces() }.filter {
            !$0.isEmpty
        }
        return lines.isEmpty ? "" : " (\(lines.suffix(4).joined(separator: "; ")))"
    }
}

extension StringProtocol {
    /// Without white space at both ends.
    func trimmingSpaces() -> String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
