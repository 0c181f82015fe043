import CLibPQ

/// The codes of the fields of an error or a notice. libpq defines them as C character constants (`PG_DIAG_…`), which
/// Swift does not import.
enum DiagnosticField: UInt8 {
    case severity = 0x56  // V, never translated
    case state = 0x43  // C
    case message = 0x4D  // M
    case detail = 0x44  // D
    case position = 0x50  // P
    case schema = 0x73  // s
    case table = 0x74  // t
    case column = 0x63  // c
    case dataType = 0x64  // d
    case constraint = 0x6E  // n
    case sourceFunction = 0x52  // R

    /// Returns the content of the field; nil if the server did not send it.
    func content(in result: OpaquePointer) -> String? {
        unsafe PQresultErrorField(result, Int32(rawValue)).map { unsafe String(cString: $0) }
    }

    /// Whether the error or notice ended the session.
    static func isFatal(_ result: OpaquePointer) -> Bool {
        unsafe ["FATAL", "PANIC"].contains(Self.severity.content(in: result))
    }
}
