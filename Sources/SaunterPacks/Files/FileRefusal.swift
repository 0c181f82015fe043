import Foundation

/// Why a file or folder could not be read or written, for people.
package enum FileRefusal {
    /// Its path, where the error names one, and the system's reason; nil for what is no error of a file.
    package static func text(_ error: any Error) -> String? {
        let info: [String: Any]
        switch error {
        case let refusal as CocoaError: info = refusal.userInfo
        case let refusal as NSError where refusal.domain == NSCocoaErrorDomain: info = refusal.userInfo
        default: return nil
        }
        let path = (info[NSURLErrorKey] as? URL)?.path ?? info[NSFilePathErrorKey] as? String
        return [path, reason(info[NSUnderlyingErrorKey]) ?? error.localizedDescription].compactMap(\.self)
            .joined(separator: ": ")
    }

    private static func reason(_ cause: Any?) -> String? {
        switch cause {
        case let cause as POSIXError: String(cString: strerror(cause.code.rawValue))
        case let cause as NSError where cause.domain == NSPOSIXErrorDomain:
            String(cString: strerror(Int32(cause.code)))
        default: nil
        }
    }
}
