/// Waits for a duration. Returns at once if the task is cancelled.
func pause(_ duration: Duration) async {
    do {
        try await Task.sleep(for: duration)
    } catch {
        // The task is cancelled. Every caller also checks a deadline or a condition.
        await Task.yield()
    }
}
