package com.parcel.tracking;

import com.parcel.tracking.model.Event;
import static com.parcel.tracking.model.Events.latest;
import java.util.List;

/** Follows a parcel; see ADR-6. */
public class Tracker extends BaseTracker implements Tracking {
    private final List<Event> events;

    public Tracker(List<Event> events) {
        super("tracker");
        this.events = events;
    }

    /** The last thing that happened. */
    @Override
    public Event last() {
        return latest(this.events);
    }

    void add(String text) {
        this.events.add(new Event(text));
    }
}
