// Web Push on this device.
