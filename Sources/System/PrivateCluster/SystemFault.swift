import Glibc

/// Descriptions of system errors.
enum SystemFault {
    /// The system's description of an `errno`.
    static func text(_ number: Int32) -> String {
        String(cString: strerror(number))
    }
}
