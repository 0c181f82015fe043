import Dispatch
import Glibc
import PrivateCluster

/// The child process that starts the test cluster, and stops it when the test process has ended.
///
/// The child is a shell that reads from a pipe. Only the test process has the other end. When the test process ends,
/// even by kill -9, the pipe closes. The shell then stops PostgreSQL and removes the directory. The shell has a
/// separate session, so that an interrupt in the terminal does not end it earlier.
enum TestWatchdog {
    /// Returns when PostgreSQL accepts connections.
    static func start(binaries: PostgresBinaries, account: ClusterAccount, directory: String) async throws {
        var arguments = ["/bin/sh", "-c", script, "watchdog", directory, binaries.directory]
        if account.userID != geteuid() {
            arguments =
                [
                    "/usr/bin/setpriv", "--reuid=\(account.userID)", "--regid=\(account.groupID)",
                    "--clear-groups",
                ]
                + arguments
        }
        let reading = try spawn(arguments)
        let answer: String = await withCheckedContinuation { continuation in
            // Making a cluster takes seconds, so it must not block a thread of the Swift runtime.
            DispatchQueue.global().async { continuation.resume(returning: readToEnd(of: reading)) }
        }
        guard answer == "ready\n" else { throw TestingFault("the test cluster did not start: \(answer)") }
    }

    /// `$1` is the directory, `$2` is the path of the PostgreSQL programs. The script closes standard output after its
    /// answer.
    private static let script = """
        trap '' PIPE
        unset PGDATA PGHOST PGPORT PGUSER PGDATABASE PGOPTIONS
        export LC_ALL=C.UTF-8 TZ=UTC
        cd "$1" || exit 1
        if "$2/initdb" -D "$1/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions \
              >"$1/log" 2>&1 &&
           "$2/pg_ctl" -D "$1/data" -l "$1/log" -w -t 60 -s start -o "-c listen_addresses='' \
              -c unix_socket_directories='$1' -c port=5432 -c max_connections=400 -c fsync=off \
              -c synchronous_commit=off -c full_page_writes=off -c timezone=UTC -c max_prepared_transactions=10"
        then echo ready
        else cat "$1/log"
        fi
        exec >/dev/null 2>&1
        cat
        [ -f "$1/data/postmaster.pid" ] && "$2/pg_ctl" -D "$1/data" -w -t 20 -s -m immediate stop
        cd /
        rm -rf "$1"
        """

    /// `POSIX_SPAWN_SETSID` of <spawn.h>. Swift does not import this constant.
    private static let newSession: Int16 = 0x80

    /// Starts the child, and returns the descriptor from which its answer is read. This process never closes its end of
    /// the watched pipe. The system closes it when this process ends.
    private static func spawn(_ arguments: [String]) throws -> Int32 {
        var watched: [Int32] = [0, 0]
        var answer: [Int32] = [0, 0]
        // Close-on-exec must be set at creation. Otherwise another child of the tests could inherit the pipe and keep
        // the cluster alive. From Swift only sockets can be made in this way in one step.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &watched) == 0, socketpair(AF_UNIX, kind, 0, &answer) == 0 else {
            throw TestingFault(step: "socketpair", errno: errno)
        }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            close(watched[0])
            close(answer[1])
        }
        posix_spawn_file_actions_adddup2(&actions, watched[0], 0)
        posix_spawn_file_actions_adddup2(&actions, answer[1], 1)
        posix_spawn_file_actions_adddup2(&actions, answer[1], 2)
        // The child must not inherit other descriptors. A socket that PostgreSQL inherits would never be seen as
        // closed.
        for descriptor in children(of: "/proc/self/fd").compactMap(Int32.init) where descriptor > 2 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        posix_spawnattr_setflags(&attributes, newSession)
        var child: pid_t = 0
        let pointers = arguments.map { strdup($0) } + [nil]
        defer { pointers.forEach { free($0) } }
        let status = posix_spawn(&child, arguments[0], &actions, &attributes, pointers, environ)
        guard status == 0 else { throw TestingFault(step: "posix_spawn \(arguments[0])", errno: status) }
        return answer[0]
    }

    private static func readToEnd(of descriptor: Int32) -> String {
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count > 0 { bytes += chunk[..<count] }
            if count == 0 || (count < 0 && errno != EINTR) { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
