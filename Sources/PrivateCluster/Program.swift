import Subprocess

import Glibc

/// A program that runs to its end: where it stands, as whom, where and with what environment.
///
/// The environment is never inherited: a stray `PGDATA`, `PGOPTIONS` or locale of the caller must not change
/// what the cluster is.
package struct Program: Sendable {
    /// The directory of the program; it is searched first, then the system's own directories.
    package var directory: String?
    /// The name of the program, without a path.
    package var name: String
    package var arguments: [String]
    /// What to add to the environment, which else holds only a search path, the C locale and UTC.
    package var environment: [String: String] = [:]
    /// The directory that a program of PostgreSQL works on (`PGDATA`).
    package var dataDirectory: String?
    /// Nil: as the calling user.
    package var account: ClusterAccount?

    package init(_ name: String, _ arguments: [String], in directory: String? = nil) {
        self.name = name
        self.arguments = arguments
        self.directory = directory
    }

    /// What a program left behind.
    package struct Ending: Sendable {
        /// Nil when it ended by itself with status 0, else "exited(1)" or "signaled(9)".
        package let fault: String?
        package let output: String
        package let error: String
    }

    /// Runs the program and collects at most 1 MiB of each output. `input` is its standard input.
    ///
    /// Throws only when it cannot be run at all; how it ended is in the result.
    package func run(input: String = "") async throws(ClusterFault) -> Ending {
        do {
            let result = try await Subprocess.run(
                configuration(), input: .string(input), output: .string(limit: 1 << 20),
                error: .string(limit: 1 << 20))
            return Ending(
                fault: result.terminationStatus.isSuccess ? nil : "\(result.terminationStatus)",
                output: result.standardOutput, error: result.standardError)
        } catch {
            throw .programFailed(program: name, reason: "\(error)", output: "")
        }
    }

    /// Runs the program and demands that it succeeds; returns its standard output.
    @discardableResult
    package func succeed(input: String = "") async throws(ClusterFault) -> String {
        let ending = try await run(input: input)
        if let fault = ending.fault {
            throw .programFailed(
                program: name, reason: fault, output: ending.error.isEmpty ? ending.output : ending.error)
        }
        return ending.output
    }

    /// The same for Subprocess. The program leads a session of its own, so that an interrupt typed at the
    /// terminal reaches Saunter alone, which then stops its programs in order.
    func configuration() -> Configuration {
        var options = PlatformOptions()
        options.createSession = true
        var values: [Environment.Key: String] = [
            "PATH": ([directory].compactMap(\.self) + Self.systemDirectories).joined(separator: ":"),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        ]
        for (name, value) in environment {
            values[Environment.Key(stringLiteral: name)] = value
        }
        guard let account, account.userID != geteuid() else {
            values["PGDATA"] = dataDirectory
            return Configuration(
                executable: .name(name), arguments: Arguments(arguments), environment: .custom(values),
                workingDirectory: Self.path("/"), platformOptions: options)
        }
        values["PGDATA"] = dataDirectory == nil ? nil : Self.inheritedDirectory
        return Configuration(
            executable: .name("sh"),
            arguments: Arguments(
                ["-c", Self.entry, name, "\(account.userID)", "\(account.groupID)"] + arguments),
            environment: .custom(values), workingDirectory: Self.path(dataDirectory ?? "/"),
            platformOptions: options)
    }

    /// Another account may be unable to pass the directories above its data, such as root's home. So the
    /// data directory is entered before privileges are dropped, and then reached by an open descriptor that
    /// all of PostgreSQL's processes inherit. (Not by the working directory: PostgreSQL leaves that and
    /// comes back by its path.)
    ///
    /// Privileges are dropped by setpriv, not between fork and exec: glibc's setgroups waits there for threads
    /// that the child has not got, for ever if one of them was just ending.
    private static let entry = #"""
        exec 9<. && cd / || exit 1
        user=$1 group=$2; shift 2
        exec setpriv --reuid "$user" --regid "$group" --groups "$group" -- "$0" "$@"
        """#
    private static let inheritedDirectory = "/proc/self/fd/9"

    /// Where Debian keeps programs.
    static let systemDirectories = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"]

    /// A path in the type that Subprocess wants, whose module this target has no other need to import.
    private static func path<Path: ExpressibleByStringLiteral>(_ text: String) -> Path
    where Path.StringLiteralType == String {
        Path(stringLiteral: text)
    }
}
