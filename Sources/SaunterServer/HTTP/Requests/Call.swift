import HTTPTypes
import Logging
import SaunterCore

/// A request as its handler gets it. The gateway has checked it against the description of the route.
package struct Call<Caller: Sendable>: Sendable {
    /// The caller: an `Identity` on every route that needs authentication.
    package let caller: Caller
    /// Identifies the request in the log and in problem documents.
    package let requestID: String
    /// When the server received the request. Handlers read no other clock.
    package let now: Instant
    /// Logs with the request id. Never log a body, a token or an address.
    package let logger: Logger
    /// The address of the client, behind trusted proxies. Nil in tests without sockets.
    package let remoteAddress: IPAddress?
    /// The headers of the request.
    package let headers: HTTPFields
    /// The body as JSON; null if the route has no JSON body or form.
    package let body: JSON
    let pathValues: [String: String]
    let queryValues: [String: JSON]
    /// Faults of values that cannot be stored, by the index of the item; see `BodyRule.itemList`.
    var itemFaults: [Int: [Fault]] = [:]
    /// Differences between the body and its schema; see `BodyRule.handlerReportsFaults`.
    var schemaFaults: [Fault] = []
    /// The bytes of a body that is a file; see `BodyRule.Media`. Empty otherwise.
    package var rawBody: [UInt8] = []
    /// A body of lines, which is still arriving; nil for any other body.
    var lines: NDJSONBody?
    /// The path and query as the client sent them.
    package var target = "/"

    /// The same request with the caller in another type.
    func with<Other>(caller: Other) -> Call<Other> {
        Call<Other>(
            caller: caller, requestID: requestID, now: now, logger: logger, remoteAddress: remoteAddress,
            headers: headers, body: body, pathValues: pathValues, queryValues: queryValues,
            itemFaults: itemFaults, schemaFaults: schemaFaults, rawBody: rawBody, lines: lines,
            target: target)
    }
}

extension Call {
    /// The value of a path parameter.
    /// - Throws: `internal` if the route does not declare the name.
    package func text(_ name: String) throws(Problem) -> String {
        guard let value = pathValues[name] else { throw Problem(.internalError) }
        return value
    }

    /// A path parameter that is an id. The route declares it as `.uuid`.
    /// - Throws: `not-found` if it is not a UUID.
    package func id<Tag>(_ name: String, as _: ID<Tag>.Type = ID<Tag>.self) throws(Problem) -> ID<Tag> {
        guard let id = ID<Tag>(try text(name)) else { throw Problem(.notFound) }
        return id
    }

    /// A query parameter that is a string.
    package func query(_ name: String) -> String? { queryValues[name]?.string }

    /// A query parameter that is a whole number.
    package func queryInt(_ name: String) -> Int? { queryValues[name]?.int }

    /// A query parameter that is true or false.
    package func queryBool(_ name: String) -> Bool? { queryValues[name]?.bool }

    /// A query parameter that is a list in the form `a,b,c`, or that may occur several times.
    package func queryList(_ name: String) -> [String]? { queryValues[name]?.array?.compactMap(\.string) }

    /// A query parameter of the format `.dateTime`.
    package func queryInstant(_ name: String) -> Instant? { query(name).flatMap { Instant($0) } }

    /// The query parameter `limit`; 100 if it is absent.
    package var pageLimit: Int { queryInt("limit") ?? 100 }
}
