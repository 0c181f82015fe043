#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An operating system thread that nobody joins.
enum DetachedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Starts a thread, or says false when the system has none left.
    static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t()
        let body = unsafe Unmanaged.passRetained(Body(run))
        let fault = unsafe pthread_create(
            &thread, nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            }, body.toOpaque())
        guard fault == 0 else {
            unsafe body.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
