import CLibPQ

/// A result of the server, owned. Never changed after it has been received, so it may be read from any
/// thread.
@safe
final class Answer: @unchecked Sendable {
    /// What the server said about a request, as far as the driver has to act on it.
    enum Outcome: Hashable {
        case rows
        case done
        case emptyStatement
        case copyIn
        case copyOut
        case pipelineEnd
        case pipelineSkipped
        case refused
    }

    private let result: OpaquePointer
    let count: Int
    private let width: Int

    /// Takes ownership.
    init(owning result: OpaquePointer) {
        unsafe self.result = unsafe result
        count = unsafe Int(PQntuples(result))
        width = unsafe Int(PQnfields(result))
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
        default: .refused
        }
    }

    /// The rows touched, from the command tag; 0 for commands that count none.
    var affected: Int {
        unsafe PQcmdTuples(result).flatMap { unsafe Int(String(cString: $0)) } ?? 0
    }

    /// The command tag: "COMMIT", "INSERT 0 3".
    var commandTag: String {
        unsafe PQcmdStatus(result).map { unsafe String(cString: $0) } ?? ""
    }

    /// The columns as the result itself names them.
    var layout: ColumnLayout {
        guard width > 0 else { return .none }
        return ColumnLayout(
            (0..<Int32(width)).map { index in
                let name = unsafe PQfname(result, index).map { unsafe String(cString: $0) } ?? ""
                return unsafe ColumnLayout.Column(name: name, type: OID(PQftype(result, index)))
            })
    }

    /// The parameters' types, in the answer to a description.
    var parameterTypes: [OID] {
        unsafe (0..<PQnparams(result)).map { unsafe OID(PQparamtype(result, $0)) }
    }

    /// A value that is not NULL. It points into this answer.
    func value(row: Int, column: Int, type: OID) -> BinaryValue? {
        guard row >= 0, row < count, column >= 0, column < width else { return nil }
        let row = Int32(row)
        let column = Int32(column)
        guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
        let length = unsafe Int(PQgetlength(result, row, column))
        return unsafe BinaryValue(
            type: type, bytes: UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: length))
    }

    /// What the server said when it refused; nil when the fault is libpq's own, which carries no code.
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
                isFatal: ["FATAL", "PANIC"].contains(field(.severity)),
                sourceFunction: field(.sourceFunction))
        }
    }

    /// libpq's own words, for faults that are not the server's.
    var clientMessage: String {
        unsafe PQresultErrorMessage(result).map { unsafe ClientMessage.text($0) } ?? ""
    }

    private func field(_ field: DiagnosticField) -> String? {
        unsafe PQresultErrorField(result, Int32(field.rawValue)).map { unsafe String(cString: $0) }
    }
}
