import HTTPTypes
import Logging
import SaunterCore

/// A request as a handler sees it: everything in it has been checked against the route's own description.
package struct Call<Caller: Sendable>: Sendable {
    /// Who sent it. An `Identity` on every route that asks for one.
    package let caller: Caller
    /// Names the request in the log and in every problem.
    package let requestID: String
    /// The moment at which the request was taken up; the only clock that handlers read.
    package let now: Instant
    /// Carries the request id. Never log a body, a token or an address.
    package let logger: Logger
    /// Of the client; behind a trusted proxy the one that the proxy names. Nil in tests without sockets.
    package let remoteAddress: IPAddress?
    package let headers: HTTPFields
    /// Null where the route takes no body.
    package let body: JSON
    let pathValues: [String: String]
    let queryValues: [String: JSON]
    /// What may not be stored, by the item of the body's list that it stands in; see `BodyRule.itemList`.
    var itemFaults: [Int: [Fault]] = [:]
    /// What does not fit the schema of a body whose rule leaves that to the handler.
    var formFaults: [Fault] = []
    /// The bytes of a body that is a file; see `BodyRule.Media`.
    var rawBody: [UInt8] = []
    /// A body of lines, still arriving; nil for any other.
    var lines: BodyLines?

    func of<Other>(_ caller: Other) -> Call<Other> {
        Call<Other>(
            caller: caller, requestID: requestID, now: now, logger: logger, remoteAddress: remoteAddress,
            headers: headers, body: body, pathValues: pathValues, queryValues: queryValues,
            itemFaults: itemFaults, formFaults: formFaults, rawBody: rawBody, lines: lines)
    }
}

extension Call {
    /// The text of a path parameter. Throws `internal` for a name that the route does not declare.
    package func text(_ name: String) throws(Problem) -> String {
        guard let value = pathValues[name] else { throw Problem(.internalError) }
        return value
    }

    /// A path parameter that is an id. The route declares it as `.uuid`.
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

    /// A query parameter that is a list, given as `a,b,c`.
    package func queryList(_ name: String) -> [String]? { queryValues[name]?.array?.compactMap(\.string) }

    /// A query parameter of the form `.dateTime`.
    package func queryInstant(_ name: String) -> Instant? { query(name).flatMap { Instant($0) } }

    /// A query parameter of the form `.date`.
    package func queryDate(_ name: String) -> LocalDate? { query(name).flatMap { LocalDate($0) } }

    /// `limit`, or 100.
    package var pageLimit: Int { queryInt("limit") ?? 100 }
}
