import Foundation

/// A TCP connection to this machine that sends any bytes, to simulate faulty clients. Its calls block, so they run on a
/// separate thread.
struct RawConnection: Sendable {
    private let socket: Int32

    /// Connects, runs `work` on a new thread, and closes the connection.
    static func with<Value: Sendable>(
        port: Int, _ work: @escaping @Sendable (RawConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let connection = try RawConnection(port: port)
                        defer { close(connection.socket) }
                        return try work(connection)
                    })
            }
        }
    }

    private init(port: Int) throws {
        for (family, address) in [(AF_INET, "127.0.0.1"), (AF_INET6, "::1")] {
            let candidate = Foundation.socket(family, Int32(SOCK_STREAM.rawValue), 0)
            guard candidate >= 0 else { continue }
            if Self.connect(candidate, family, address, port) {
                socket = candidate
                return
            }
            close(candidate)
        }
        throw POSIXError(.ECONNREFUSED)
    }

    private static func connect(_ socket: Int32, _ family: Int32, _ address: String, _ port: Int) -> Bool {
        let number = in_port_t(UInt16(clamping: port).bigEndian)
        if family == AF_INET {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = number
            inet_pton(AF_INET, address, &name.sin_addr)
            return withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Foundation.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = number
        inet_pton(AF_INET6, address, &name.sin6_addr)
        return withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
    }

    /// Sends a text.
    /// - Returns: false if the server has closed the connection.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Foundation.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Reads until the server closes the connection, or sends nothing for so many seconds.
    func readToEnd(seconds: Int = 60) -> String {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(socket, &chunk, chunk.count, 0)
            if count <= 0 { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads so many bytes, or fewer if the server closes the connection.
    /// - Returns: the number of bytes.
    func count(_ wanted: Int, seconds: Int = 60) -> Int {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var chunk = [UInt8](repeating: 0, count: 65536)
        var taken = 0
        while taken < wanted {
            let count = recv(socket, &chunk, min(chunk.count, wanted - taken), 0)
            if count <= 0 { break }
            taken += count
        }
        return taken
    }

    /// Reads until the received text contains `mark`.
    func read(until mark: String, seconds: Int = 60) -> String {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while !String(decoding: bytes, as: UTF8.self).contains(mark) {
            let count = recv(socket, &chunk, chunk.count, 0)
            if count <= 0 { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
