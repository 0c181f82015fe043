import CLibPQ

/// A result of the server, as libpq received it. Owns the libpq object. Any thread may read it, because it never
/// changes.
@safe
final class ServerResult: @unchecked Sendable {
    /// The status of the result, reduced to the cases that this client distinguishes.
    enum Outcome: Hashable {
        case rows
        case done
        case emptyStatement
        case copyIn
        case copyOut
        case pipelineEnd
        case pipelineSkipped
        case error
    }

    private let result: OpaquePointer
    /// The number of rows.
    let count: Int
    private let columnCount: Int

    /// Takes ownership of the libpq object.
    init(owning result: OpaquePointer) {
        unsafe self.result = unsafe result
        count = unsafe Int(PQntuples(result))
        columnCount = unsafe Int(PQnfields(result))
    }

    deinit {
        unsafe PQclear(result)
    }

    var outcome: Outcome {
        switch unsafe PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE: .rows
        case PGRES_COMMAND_OK: .done
        case PGRES_EMPTY_QUERY: .emptyStatement
        case PGRES_COPY_IN: .copyIn
        case PGRES_COPY_OUT: .copyOut
        case PGRES_PIPELINE_SYNC: .pipelineEnd
        case PGRES_PIPELINE_ABORTED: .pipelineSkipped
        default: .error
        }
    }

    /// The number of affected rows, from the command tag. 0 for commands that do not report it.
    var affectedRowCount: Int {
        unsafe PQcmdTuples(result).flatMap { unsafe Int(String(cString: $0)) } ?? 0
    }

    /// The command tag, for example "COMMIT" or "INSERT 0 3".
    var commandTag: String {
        unsafe PQcmdStatus(result).map { unsafe String(cString: $0) } ?? ""
    }

    /// The names and types of the columns in this result.
    var layout: ColumnLayout {
        guard columnCount > 0 else { return .none }
        return ColumnLayout(
            (0..<Int32(columnCount)).map { index in
                let name = unsafe PQfname(result, index).map { unsafe String(cString: $0) } ?? ""
                return unsafe ColumnLayout.Column(name: name, type: OID(PQftype(result, index)))
            })
    }

    /// The types of the parameters, in the result of a describe request.
    var parameterTypes: [OID] {
        unsafe (0..<PQnparams(result)).map { unsafe OID(PQparamtype(result, $0)) }
    }

    /// Returns the value, or nil if it is NULL or out of range. The bytes belong to this result.
    func value(row: Int, column: Int, type: OID) -> BinaryValue? {
        guard row >= 0, row < count, column >= 0, column < columnCount else { return nil }
        let row = Int32(row)
        let column = Int32(column)
        guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
        let length = unsafe Int(PQgetlength(result, row, column))
        return unsafe BinaryValue(
            type: type, bytes: UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: length))
    }

    /// The error of the server. nil if libpq itself reported the error, because libpq's errors have no SQLSTATE.
    var fault: ServerFault? {
        field(.state).map { code in
            ServerFault(
                state: SQLState(code),
                constraint: field(.constraint),
                schema: field(.schema),
                table: field(.table),
                column: field(.column),
                dataType: field(.dataType),
                position: field(.position).flatMap { Int($0) },
                message: field(.message) ?? "",
                detail: field(.detail),
                isFatal: unsafe DiagnosticField.isFatal(result),
                sourceFunction: field(.sourceFunction))
        }
    }

    /// The message of libpq, for errors that do not come from the server.
    var clientMessage: String {
        unsafe PQresultErrorMessage(result).map { unsafe ClientMessage.text($0) } ?? ""
    }

    private func field(_ field: DiagnosticField) -> String? {
        unsafe field.content(in: result)
    }
}
