import Subprocess

import Glibc

/// A program to run: its directory, arguments, environment, data directory and account.
///
/// The environment is never inherited, because `PGDATA`, `PGOPTIONS` or the locale of the caller must not affect the
/// cluster.
package struct Program: Sendable {
    /// The directory that is searched first. The directories of the system are searched after it.
    package var directory: String?
    /// The name of the program, without a path.
    package var name: String
    /// The arguments without the name of the program.
    package var arguments: [String]
    /// Additional environment variables. By default the environment has only a search path, the C locale and UTC.
    package var environment: [String: String] = [:]
    /// The data directory of a PostgreSQL program (`PGDATA`).
    package var dataDirectory: String?
    /// The account that runs the program. Nil means the account of this process.
    package var account: ClusterAccount?

    /// Creates a call; by default of a program in the directories of the system.
    package init(_ name: String, _ arguments: [String], in directory: String? = nil) {
        self.name = name
        self.arguments = arguments
        self.directory = directory
    }

    /// The exit status and the output of a program.
    package struct Outcome: Sendable {
        /// Nil if the exit status was 0. Otherwise for example "exited(1)" or "signaled(9)".
        package let fault: String?
        /// The standard output as text.
        package let output: String
        /// The standard error as text.
        package let error: String
    }

    /// Runs the program and collects at most 1 MiB of each output. `input` is its standard input.
    ///
    /// Throws only if the program cannot be run. A failure of the program is in the outcome.
    package func run(input: String = "") async throws(ClusterFault) -> Outcome {
        do {
            let result = try await Subprocess.run(
                configuration(), input: .string(input), output: .string(limit: 1 << 20),
                error: .string(limit: 1 << 20))
            return Outcome(
                fault: result.terminationStatus.isSuccess ? nil : "\(result.terminationStatus)",
                output: result.standardOutput, error: result.standardError)
        } catch {
            throw .programFailed(program: name, reason: "\(error)", output: "")
        }
    }

    /// Runs the program and throws if it fails.
    /// - Returns: its standard output.
    @discardableResult
    package func runOrThrow(input: String = "") async throws(ClusterFault) -> String {
        let outcome = try await run(input: input)
        if let fault = outcome.fault {
            throw .programFailed(
                program: name, reason: fault, output: outcome.error.isEmpty ? outcome.output : outcome.error)
        }
        return outcome.output
    }

    /// The configuration for Subprocess. The program runs in a new session, so that an interrupt from the terminal
    /// reaches only Saunter. Saunter then stops its programs cleanly.
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
                ["-c", Self.accountScript, name, "\(account.userID)", "\(account.groupID)"] + arguments),
            environment: .custom(values), workingDirectory: Self.path(dataDirectory ?? "/"),
            platformOptions: options)
    }

    /// The shell script that runs a program as another account.
    ///
    /// That account may have no access to a parent of the data directory, such as root's home. Therefore the script
    /// opens the data directory before it drops the privileges. All processes of PostgreSQL inherit the open descriptor
    /// and use it as the path. The working directory does not work for this purpose, because PostgreSQL leaves it and
    /// returns by its path.
    ///
    /// The program setpriv drops the privileges. This process cannot drop them between fork and exec, because setgroups
    /// of glibc then waits for threads that do not exist in the child. If one of them was just ending, it waits
    /// forever.
    private static let accountScript = #"""
        exec 9<. && cd / || exit 1
        user=$1 group=$2; shift 2
        exec setpriv --reuid "$user" --regid "$group" --groups "$group" -- "$0" "$@"
        """#
    private static let inheritedDirectory = "/proc/self/fd/9"

    /// The directories of programs on Debian.
    static let systemDirectories = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"]

    /// Converts a path to the type that Subprocess requires. The type is inferred, so that this target does not import
    /// the module of that type.
    private static func path<Path: ExpressibleByStringLiteral>(_ text: String) -> Path
    where Path.StringLiteralType == String {
        Path(stringLiteral: text)
    }
}
