package com.parcel.tracking.model;

import java.util.List;

public final class Events {
    public static Event latest(List<Event> events) {
        return events.get(events.size() - 1);
    }

    enum Kind { SCAN, DELIVERY }
}
