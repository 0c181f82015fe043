import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import SaunterCore

/// Calls a Saunter server as any client would: JSON over HTTP, and nothing that is not in its published
/// contract.
package struct ServerClient: Sendable {
    private static let maximumReply = 32 << 20
    /// To one server: a crowd acts side by side.
    static let mostConnections = 64

    /// Lives as long as the process.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            ServerClient.mostConnections
        return HTTPClient(configuration: configuration)
    }()

    /// Without a slash at its end.
    package let url: String

    package init(url: String) {
        self.url = url
    }

    /// Sends one request and reads the whole reply, whatever its status.
    /// - Parameter path: begins with a slash.
    /// - Throws: `ServerUnreachable` when there was no reply, or one that is not JSON.
    package func send(
        _ method: String, _ path: String, token: String? = nil, body: JSON? = nil,
        timeout: Duration = .seconds(30)
    ) async throws(ServerUnreachable) -> ServerReply {
        var request = HTTPClientRequest(url: url + path)
        request.method = HTTPMethod(rawValue: method)
        request.headers.add(name: "Accept", value: "application/json")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(body.bytes)
        }
        do {
            let response = try await Self.client.execute(
                request, timeout: .milliseconds(Int64(timeout / .milliseconds(1))))
            let buffer = try await response.body.collect(upTo: Self.maximumReply)
            let text = String(decoding: buffer.readableBytesView, as: UTF8.self)
            let json = text.isEmpty ? .null : try JSONReader.read(text)
            return ServerReply(status: Int(response.status.code), json: json)
        } catch {
            // The long form quotes headers, and with them the token.
            throw ServerUnreachable(
                url: url, reason: (error as? HTTPClientError)?.shortDescription ?? "\(error)")
        }
    }

    /// Sends one request that must succeed.
    /// - Throws: `ServerRefusal` for any status but 2xx, `ServerUnreachable`.
    package func demand(
        _ method: String, _ path: String, token: String? = nil, body: JSON? = nil
    ) async throws -> ServerReply {
        let reply = try await send(method, path, token: token, body: body)
        guard reply.isSuccess else { throw ServerRefusal(request: "\(method) \(path)", reply: reply) }
        return reply
    }
}

/// What a server answered.
package struct ServerReply: Sendable {
    package let status: Int
    /// Null when there was no body.
    package let json: JSON

    package var isSuccess: Bool { (200...299).contains(status) }

    /// The last part of a problem's address, by which clients tell problems apart; nil for what is none.
    package var problem: String? {
        json["type"]?.string.flatMap { $0.split(separator: "/").last.map { String($0) } }
    }
}

/// There was no usable answer at all.
package struct ServerUnreachable: Error, CustomStringConvertible {
    let url: String
    let reason: String

    package var description: String { "no answer from \(url): \(reason)" }
}

/// The server answered, but not with what was asked.
package struct ServerRefusal: Error, CustomStringConvertible {
    let request: String
    let reply: ServerReply

    /// - Parameter request: method and path.
    package init(request: String, reply: ServerReply) {
        self.request = request
        self.reply = reply
    }

    package var description: String {
        "\(request) was refused with \(reply.status): \(Self.words(of: reply.json))"
    }

    /// A problem in one line: its title and detail, and every fault with its pointer; empty for what is none.
    static func words(of problem: JSON) -> String {
        let words = [problem["title"]?.string, problem["detail"]?.string].compactMap { $0 }
        let faults = (problem["errors"]?.array ?? []).prefix(10).map { fault in
            "\(fault["pointer"]?.string ?? "") \(fault["detail"]?.string ?? "")"
        }
        return (words + faults).joined(separator: "; ")
    }
}
