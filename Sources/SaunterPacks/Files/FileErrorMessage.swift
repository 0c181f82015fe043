import Foundation

/// The message for a file or folder that could not be read or written.
package enum FileErrorMessage {
    /// Returns the path, if the error has one, and the reason of the operating system. Nil if it is not a file error.
    package static func text(_ error: any Error) -> String? {
        let info: [String: Any]
        switch error {
        case let fileError as CocoaError: info = fileError.userInfo
        case let fileError as NSError where fileError.domain == NSCocoaErrorDomain: info = fileError.userInfo
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
