package com.parcel.tracking;

abstract class BaseTracker {
    private final String name;

    BaseTracker(String name) {
        this.name = name;
    }
}

interface Tracking {
    Object last();
}
