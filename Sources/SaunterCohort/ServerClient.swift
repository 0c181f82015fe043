import Foundation
import FoundationNetworking
import SaunterCore

/// Calls a Saunter server like any other client: JSON over HTTP, only with the published API.
package struct ServerClient: Sendable {
    private static let maximumReplyBytes = 32 << 20
    /// The maximum number of concurrent connections to one server.
    static let maximumConnections = 64

    /// One session for the whole process: no cookies, no cache. It is never closed.
    private static let session: URLSession = {
        // libcurl would send requests to the proxy of the environment, also those to this machine.
        setenv("no_proxy", "*", 1)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = ServerClient.maximumConnections
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }()

    /// The base URL, without a slash at its end.
    package let url: String

    /// Creates a client for this base URL. No connection is opened yet.
    package init(url: String) {
        self.url = url
    }

    /// Sends one request and reads the whole reply. Every status is a reply, not an error.
    /// - Parameter path: begins with a slash.
    /// - Throws: `ServerUnreachable` if there was no reply, or if the reply was not JSON.
    package func send(
        _ method: String, _ path: String, token: String? = nil, body: JSON? = nil,
        timeout: Duration = .seconds(30)
    ) async throws(ServerUnreachable) -> ServerReply {
        guard let address = URL(string: url + path) else {
            throw ServerUnreachable(url: url, reason: "not a URL")
        }
        var request = URLRequest(url: address, timeoutInterval: timeout / .seconds(1))
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(body.bytes)
        }
        do {
            let (data, response) = try await Self.session.data(for: request)
            guard let response = response as? HTTPURLResponse, data.count <= Self.maximumReplyBytes else {
                throw ServerUnreachable(url: url, reason: "the reply is too large")
            }
            let json = data.isEmpty ? .null : try JSONReader.read(String(decoding: data, as: UTF8.self))
            return ServerReply(status: response.statusCode, json: json)
        } catch let fault as ServerUnreachable {
            throw fault
        } catch let error as URLError {
            // The other descriptions contain the whole request.
            throw ServerUnreachable(url: url, reason: error.localizedDescription)
        } catch {
            throw ServerUnreachable(url: url, reason: "\(error)")
        }
    }

    /// Sends one request that must succeed.
    /// - Throws: `ServerRefusal` for any status but 2xx, `ServerUnreachable`.
    package func sendSuccessfully(
        _ method: String, _ path: String, token: String? = nil, body: JSON? = nil
    ) async throws -> ServerReply {
        let reply = try await send(method, path, token: token, body: body)
        guard reply.isSuccess else { throw ServerRefusal(request: "\(method) \(path)", reply: reply) }
        return reply
    }
}

/// The reply of a server.
package struct ServerReply: Sendable {
    /// The HTTP status.
    package let status: Int
    /// Null if there was no body.
    package let json: JSON

    /// Whether the status is 2xx.
    package var isSuccess: Bool { (200...299).contains(status) }

    /// The last path component of the problem type, which identifies the problem; nil if the body is not a problem.
    package var problem: String? {
        json["type"]?.string.flatMap { $0.split(separator: "/").last.map { String($0) } }
    }
}

/// There was no reply, or the reply was not JSON.
package struct ServerUnreachable: Error, CustomStringConvertible {
    let url: String
    let reason: String

    /// One line with the URL and the reason, without headers.
    package var description: String { "no usable reply from \(url): \(reason)" }
}

/// The server replied with an error status.
package struct ServerRefusal: Error, CustomStringConvertible {
    let request: String
    let reply: ServerReply

    /// - Parameter request: method and path.
    package init(request: String, reply: ServerReply) {
        self.request = request
        self.reply = reply
    }

    /// One line with the request, the status and the faults.
    package var description: String {
        "\(request) was refused with \(reply.status): \(Self.summary(of: reply.json))"
    }

    /// A problem in one line: title, detail, and the first ten faults with pointers; empty if it is not a problem.
    static func summary(of problem: JSON) -> String {
        let parts = [problem["title"]?.string, problem["detail"]?.string].compactMap { $0 }
        let faults = (problem["errors"]?.array ?? []).prefix(10).map { fault in
            "\(fault["pointer"]?.string ?? "") \(fault["detail"]?.string ?? "")"
        }
        return (parts + faults).joined(separator: "; ")
    }
}
